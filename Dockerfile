# Tallyman: its daemon, its commands, and the metadata service of pods.
# "node bin/image.ts DIRECTORY" in a checkout writes what this builds from, with this file:
#   docker build --tag tallyman DIRECTORY
# Nothing is run or fetched meanwhile. The base needs Node.js 24 as "node", and "sh"; "ssh" for repositories over SSH;
# "ssh-keygen" or "gpg" where commits have to be signed.
ARG BASE=node:24-slim
FROM ${BASE}
COPY tallyman /opt/tallyman
# OpenSSH runs for no user that has no name.
COPY passwd /etc/passwd
# Where the journal, the git objects and the control socket are: mount a volume there.
COPY --chown=65532:65532 state /var/lib/tallyman
# Temporary files are there as well: nothing else can be written to where the root is read-only.
ENV HOME=/var/lib/tallyman TMPDIR=/var/lib/tallyman TALLYMAN_STATE_DIR=/var/lib/tallyman NODE_COMPILE_CACHE=""
WORKDIR /var/lib/tallyman
USER 65532:65532
# Whether the daemon answers. Other commands are no servers, or have a check of their own.
HEALTHCHECK --interval=30s --timeout=10s --start-period=30s \
  CMD ["/opt/tallyman/bin/tallyman", "ping", "--server", "/var/lib/tallyman/control.sock"]
ENTRYPOINT ["/opt/tallyman/bin/tallyman"]
CMD ["daemon"]
