"""The web page and its JSON API (docs/api.md): how strong am I, review my game, play me.

server.py     binds the port, runs the app, ends it
app.py        the FastAPI app; routes_*.py its routes, security.py and uploads.py what guards them
service.py    everything behind the routes, without HTTP
turns.py      who computes when: priorities, and fair turns between tabs
store.py      games, analyses, reviews, plays and jobs in SQLite
events.py     the event stream of each tab
reviews.py, analyses.py, strength.py, plays.py    the work itself; play.py is the state of one game
static/       the built page; its source is web/
"""
