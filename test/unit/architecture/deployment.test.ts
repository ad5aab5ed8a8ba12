import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { domains } from '../../../src/app/installed-domains.ts';
import { assembleSettings, coreSettings } from '../../../src/config/core-settings.ts';
import { readSettings, settingDefault } from '../../../src/config/settings.ts';
import {
  composeProblems,
  type Manifest,
  manifestProblems,
  readCompose,
  readDeployFile,
  readManifests,
} from '../../support/deployment/manifests.ts';

const settings = assembleSettings(domains);
const secretSettings = Object.entries(settings).flatMap(([name, { secret }]) => (secret ? [name] : []));
const domainNames = domains.map(({ name }) => name);
/** What the server takes at most to stop; it then exits with status 1. */
const MAX_STOP_SECONDS = 9.5;

const kustomizations = readManifests().filter(({ kind }) => kind === 'Kustomization');
const manifests = readManifests().filter(({ kind }) => kind !== 'Kustomization');
const { services } = readCompose();
const graphServices = readCompose('compose.graph.yml').services;
const ofKind = (kind: string): Manifest[] => manifests.filter((manifest) => manifest.kind === kind);
const named = (kind: string, name: string): Manifest => ofKind(kind).find(({ metadata }) => metadata.name === name)!;
const podOf = (deployment: Manifest) => deployment.spec.template.spec;
const serverDeployments = [...domainNames, 'graph'].map((name) => named('Deployment', name));

test('Kubernetes manifests match the schemas of their kinds', () => {
  expect(
    manifests.flatMap((manifest) => manifestProblems(manifest).map((problem) => `${manifest.metadata.name}: ${problem}`)),
  ).toEqual([]);
});

test('kustomizations name the image of the server once, and include every other file of their folders', () => {
  const files = readdirSync(new URL('../../../deploy/kubernetes/', import.meta.url), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.yaml') && !path.endsWith('kustomization.yaml'))
    .map((path) => path.split('/')[1]);
  expect(kustomizations.flatMap(({ resources }) => resources).sort()).toEqual(files.sort());
  for (const { images } of kustomizations) expect(images).toEqual([expect.objectContaining({ name: 'grimoire' })]);
  expect(new Set(serverDeployments.map((deployment) => podOf(deployment).containers[0].image))).toEqual(new Set(['grimoire']));
});

test('compose files match their schema, and a misspelled property is reported', () => {
  expect([readCompose(), readCompose('compose.graph.yml')].flatMap(composeProblems)).toEqual([]);
  expect(composeProblems({ services: { chain: { ...services.chain, healthchecks: {} } } })).toEqual([
    '/services/chain must NOT have additional properties',
  ]);
});

test('deployment files set only settings of the server, with accepted values', () => {
  const [, imageVariables] = /^ENV NODE_ENV=production (.+)$/m.exec(
    readFileSync(new URL('../../../Dockerfile', import.meta.url), 'utf8'),
  )!;
  const image = Object.fromEntries(imageVariables!.split(' ').map((word) => word.split('=')));
  const compose = Object.values({ ...services, ...graphServices }).filter((service) => service.image === 'grimoire');
  const pods = serverDeployments.map((deployment) => podOf(deployment).containers[0].env as { name: string; value?: string }[]);
  const environments: Record<string, string>[] = [
    image,
    ...compose.map(({ environment }) =>
      Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, String(value ?? '')])),
    ),
    ...pods.map((variables) => Object.fromEntries(variables.map(({ name, value = '' }) => [name, value]))),
  ];
  expect(environments).toHaveLength(1 + 6 + 5);
  for (const environment of environments) {
    expect(Object.keys(environment).filter((name) => !(name in settings))).toEqual([]);
    expect(() => readSettings(settings, {}, environment)).not.toThrow();
  }
});

test('Kubernetes manifests take every secret from a Secret', () => {
  const variables = serverDeployments.flatMap((deployment) => podOf(deployment).containers[0].env as any[]);
  const secrets = variables.filter(({ name }) => secretSettings.includes(name));
  expect(new Set(secrets.map(({ name }) => name))).toEqual(new Set(secretSettings));
  expect(secrets.filter(({ valueFrom }) => valueFrom?.secretKeyRef?.name !== 'grimoire-upstreams')).toEqual([]);
});

test('Kubernetes manifests name the contract of the tournament to the servers that read its events', () => {
  for (const name of ['chain', 'graph']) {
    const secretKeyRef = { name: 'grimoire-upstreams', key: 'tournament-address', optional: true };
    expect(podOf(named('Deployment', name)).containers[0].env).toContainEqual({
      name: 'TOURNAMENT_ADDRESS',
      valueFrom: { secretKeyRef },
    });
  }
});

test('the configuration of routers in the documentation forwards the headers of the examples', () => {
  const textOf = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
  const [, list] = /FORWARDED = \[([^\]]+)\]/.exec(textOf('examples/routers/request-headers.mjs'))!;
  const propagated = [...textOf('docs/routers.md').matchAll(/propagate: \{ named: (\S+) \}/g)].map(([, name]) => name!);
  expect(propagated.sort()).toEqual([...list!.matchAll(/'(.+)'/g)].map(([, name]) => name!).sort());
});

test('each subgraph of the supergraph is a service with its name, port and domain', () => {
  const supergraph = readDeployFile('router/supergraph.graphql');
  const urls = [...supergraph.matchAll(/@join__graph\(name: "\w+", url: "(.+?)"\)/g)].map(([, url]) => new URL(url!));
  expect(urls.map(({ hostname }) => hostname)).toEqual(domainNames);
  for (const { hostname, port, pathname } of urls) {
    expect([port, pathname]).toEqual([settingDefault(coreSettings.PORT), '/graphql']);
    expect(services[hostname]!.environment.DOMAIN).toBe(hostname);
    expect(String(services[hostname]!.environment.ALLOWED_HOSTS).split(',')).toContain(hostname);
    expect(services.router!.depends_on).toHaveProperty([hostname, 'condition'], 'service_healthy');
    const [container] = podOf(named('Deployment', hostname)).containers;
    expect(container.env).toContainEqual({ name: 'DOMAIN', value: hostname });
    const metricsPort = named('Deployment', hostname).spec.template.metadata.annotations['prometheus.io/port'];
    expect(container.ports).toEqual([
      { name: 'http', containerPort: Number(port) },
      { name: 'metrics', containerPort: Number(metricsPort) },
    ]);
    expect(container.env).toContainEqual({ name: 'METRICS_PORT', value: metricsPort });
    expect(named('Service', hostname).spec).toEqual({
      selector: { 'app.kubernetes.io/name': hostname },
      ports: [{ name: 'http', port: Number(port), targetPort: 'http' }],
    });
    expect(named('PodDisruptionBudget', hostname).spec.selector).toEqual(named('Deployment', hostname).spec.selector);
  }
});

test('each subgraph runs without privileges, in replicas that are replaced without a gap', () => {
  for (const deployment of serverDeployments) {
    const { spec } = deployment;
    const pod = podOf(deployment);
    const [container] = pod.containers;
    expect(spec.replicas).toBeGreaterThanOrEqual(2);
    expect(spec.strategy.rollingUpdate).toEqual({ maxSurge: 1, maxUnavailable: 0 });
    expect(spec.template.metadata.labels).toMatchObject(spec.selector.matchLabels);
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(MAX_STOP_SECONDS);
    expect(pod.securityContext.runAsNonRoot).toBe(true);
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(container.readinessProbe).toMatchObject({
      httpGet: { path: '/readyz', port: 'http' },
      periodSeconds: 1,
      failureThreshold: 1,
    });
    expect(container.livenessProbe.httpGet).toEqual({ path: '/healthz', port: 'http' });
  }
  for (const { stop_grace_period } of [services.chain!, graphServices.graph!])
    expect(Number.parseFloat(stop_grace_period)).toBeGreaterThan(MAX_STOP_SECONDS);
});
