"""``python -m tests.browser.look URL OUT.png [--width 390] [--dark] [--full]``: a picture of a page."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.browser import chrome

HEIGHT = 900
PHONE_HEIGHT = 844
PHONE = 500
"""A narrower page is shown as by a phone."""


def arguments() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.browser.look", description=__doc__)
    parser.add_argument("url", help="address of the page")
    parser.add_argument("out", type=Path, help="file of the picture, .png")
    parser.add_argument("--width", type=int, default=1280, help="width of the window in px (default 1280)")
    parser.add_argument("--height", type=int, help="its height in px (default 900, of a phone 844)")
    parser.add_argument("--dark", action="store_true", help="the dark theme")
    parser.add_argument("--full", action="store_true", help="the whole page, however long")
    parser.add_argument("--keys", nargs="*", default=[], metavar="KEY", help="press these first: ArrowRight")
    parser.add_argument("--no-script", action="store_true", help="without script")
    parser.add_argument("--session", help="the cookie of who looks")
    return parser.parse_args()


def main() -> int:
    """Entry point: status 1 if the page could not be shown, with what its console says on stderr."""
    asked = arguments()
    is_phone = asked.width < PHONE
    height = asked.height or (PHONE_HEIGHT if is_phone else HEIGHT)
    with chrome.running() as browser:
        context = browser.new_context(
            viewport={"width": asked.width, "height": height},
            color_scheme="dark" if asked.dark else "light",
            device_scale_factor=2 if is_phone else 1,
            has_touch=is_phone,
            is_mobile=is_phone,
            java_script_enabled=not asked.no_script,
            reduced_motion="reduce",
        )
        if asked.session:
            context.add_cookies([{"name": "sessionid", "value": asked.session, "url": asked.url}])
        page = context.new_page()
        page.on("console", lambda message: print(f"console: {message.text}", file=sys.stderr))
        page.on("pageerror", lambda error: print(f"error: {error}", file=sys.stderr))
        answer = page.goto(asked.url, wait_until="load")
        for key in asked.keys:
            page.keyboard.press(key)
        if asked.full:
            # A picture of more than the window would have what is sticky in its middle.
            whole = int(page.evaluate("document.documentElement.scrollHeight"))
            page.set_viewport_size({"width": asked.width, "height": max(height, whole)})
        page.screenshot(path=asked.out)
        wide = int(page.evaluate("document.documentElement.scrollWidth"))
        status = answer.status if answer else 0
        print(f"{asked.out}: status {status}, {wide} px wide in a window of {asked.width}")
    return 0 if status < 500 else 1


if __name__ == "__main__":
    sys.exit(main())
