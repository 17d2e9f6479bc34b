"""Hand-made codecs: a message of bits into a picture, and out again.

| codec | cover | what it shows |
|---|---|---|
| `box` | solid, known | the paper's handcrafted codec |
| `shaped` | any, known to the decoder | the exact count is reachable |
| `trellis` | any photo, blind | the exact count is nearly reachable without the cover |
| `tiled` | any codec | the paper's tiling |
| `singular` | gray, a linear edit | the bounds under an edit are nearly reachable |
"""
