# Tallyman: its daemon, its commands, and the metadata service of pods.
# "node bin/image.ts DIRECTORY" in a checkout writes what this builds from, with this file:
#   docker build --tag tallyman DIRECTORY
# Nothing is run or fetched meanwhile. The base needs Node.js 24 as "node", and "sh".
ARG BASE=node:24-slim
FROM ${BASE}
COPY tallyman /opt/tallyman
# Where the journal, the git objects and the control socket are: mount a volume there.
COPY --chown=65532:65532 state /var/lib/tallyman
ENV HOME=/var/lib/tallyman TALLYMAN_STATE_DIR=/var/lib/tallyman NODE_COMPILE_CACHE=""
WORKDIR /var/lib/tallyman
USER 65532:65532
# Whether the daemon answers. Other commands are no servers, or have a check of their own.
HEALTHCHECK --interval=30s --timeout=10s --start-period=30s \
  CMD ["/opt/tallyman/bin/tallyman", "ping", "--server", "/var/lib/tallyman/control.sock"]
ENTRYPOINT ["/opt/tallyman/bin/tallyman"]
CMD ["daemon"]
