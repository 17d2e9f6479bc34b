"""The web page: a local server over the same calls as the command line (extra `app`).

`serving` opens the page, `server` answers its requests, `guard` decides who may ask, `store` keeps
pictures for a while, `workers` runs `work` in processes that can be stopped, and `static` is the
page itself, without a build step and without network.
"""
