# The program alone, statically linked, run by a user without rights. Build the program first, in this folder:
#
#   cargo build --release --locked --target x86_64-unknown-linux-musl
#   docker build --build-context certificates=/etc/ssl/certs --build-context program=target/x86_64-unknown-linux-musl/release -t ragtriage .
#   docker run --rm -v "$PWD:/work" -u "$(id -u)" ragtriage demo
#
# The certificates are those of the machine that builds the image: endpoints are reached over TLS.
FROM scratch
COPY --from=certificates ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=program ragtriage /usr/bin/ragtriage
ENV HOME=/work
WORKDIR /work
USER 65532:65532
ENTRYPOINT ["/usr/bin/ragtriage"]
