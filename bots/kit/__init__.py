"""bots/kit"""
