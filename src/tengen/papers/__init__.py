"""One module a published table or figure, each runnable: `tengen reproduce NAME`."""
