# The web page in a container; docs/page.md shows how to run it.
FROM python:3.13-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends g++ && rm -rf /var/lib/apt/lists/*
COPY . /source
RUN python -m venv /tengen && /tengen/bin/pip install --no-cache-dir /source

FROM python:3.13-slim
COPY --from=build /tengen /tengen
RUN useradd --create-home tengen && install -d -o tengen /data /cache
USER tengen
ENV TENGEN_DATA=/data TENGEN_CACHE=/cache
VOLUME ["/data", "/cache"]
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK CMD ["/tengen/bin/python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8080/api/info')"]
ENTRYPOINT ["/tengen/bin/tengen", "serve", "--host", "0.0.0.0"]
