"""First rounds of movements, by sides and number of entries: what each slot of each table holds.

One symbol a place on the circle, table after table; the last place of a number that fills whole tables
stands in the middle. Who is missing sits out. See ``league/movements.py``.
"""

from __future__ import annotations

SYMBOLS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""Places from 0."""

FIRST_ROUNDS: dict[int, dict[int, str]] = {
    2: {
        4: "0312",
        5: "1423",
        6: "1345",
        7: "1356",
        8: "04162357",
        9: "12364857",
        10: "18592346",
        11: "1624589a",
        12: "08671b4a2935",
        13: "1a5728346b9c",
        14: "1a3b254879cd",
        15: "1b9c23684d7e",
        16: "089a1b4d256f37ce",
        17: "198c2e6g34df5b7a",
        18: "1bdg273h4a8f56ce",
        19: "1abd257f3hei4g89",
        20: "08gh1f9d2c7j356i4abe",
        21: "16dj2f3a478i59bkcegh",
        22: "1b6j2l5934fh7eagckdi",
        23: "1ajk2i4h3e6l5mcg8d9b",
        24: "0bcj19472n5i38hl6fdeagkm",
        25: "1eck259i3l467mbh8dfgaojn",
        26: "19op278j3ahn4ikm5lcg6fbe",
        27: "1apq278e3n6j4ldh5kcfbmgo",
        28: "0d2r173n4k5o6i9q8clmafgpbehj",
        29: "1rjs2fei39go4m7q5kab6d8pchln",
        30: "12kq3art4h7c5fjn6mdl8b9iepgs",
        31: "19ps2f8c3o6b4jlu5meq7drtgnhi",
        32: "09rt1i362mah4v7p5lbu8gfjcdkqeons",
        33: "1h3q2bpt4mau5o6r7wcn89dkejgiflsv",
        34: "17op29354nsv6bfq8tamcldxeikugwjr",
        35: "1piw23qy4kvx5fou6s7j8hmr9teladcg",
        36: "0dkt1f4x23cs5gin6o8a7ejy9wlvbzhpmqru",
        37: "1ktw2aqs3z6x4b7i5mlr8hcp9yfjdAnoeugv",
        39: "1itv2lzA3ury4fhx5nbB6g7C8map9cswekjo",
        40: "0u6t12rC3fxz4inq5AeD7c8s9jlyapdhbwgmkBov",
        41: "1bzC2fwB3iuv4DnE5qks6h9r7jeg8xaocydmlptA",
        43: "1rBG24it3nxE5kvF6cfo7j8l9AdhazbwgumpqyCD",
        44: "0fdt1Eik28xC3o5F4uAH6gay7rjs9mhpbclDeqnBvGwz",
        45: "1Hns2D7d3pGI4iho5zcx6qfg8lkB9jbEaAmvewtFrCuy",
        47: "1E8a2Glm3dyK4i6s5ogr7nAF9tcpbwhkeCxDjBqHuJzI",
        48: "0xbi1dkE2sHL3pAJ4ltz5nqG6ymo7Kcg8jhw9eaIfDCFrBuv",
    },
    3: {
        6: "041325",
        7: "152346",
        8: "124735",
        9: "143567",
        10: "254678",
        11: "478a56",
        12: "089b3712465a",
        13: "1a9c34286b57",
        15: "1b47892d6e3c",
        16: "179e4d3fac8b",
        17: "1c6deg2f5a8b",
        19: "1c67293gdh5f4i8abe",
        20: "1e9d4c236h8a5jbgfi",
        21: "1ajk6h2f39di4b58cg",
        22: "1f674d2hil389jacek",
        23: "15hkam2g7f3j6b8lce",
    },
}
