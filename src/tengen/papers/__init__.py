"""One module a published table or figure, each runnable: `tengen reproduce NAME`.

A module `thesis_figure4_4` is `thesis-figure4.4` on the command line. It has a `TITLE` and a function
`run(request) -> Outcome`; adding a reproduction is adding a file.
"""
