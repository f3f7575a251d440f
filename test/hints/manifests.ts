import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contextOf } from '../../lib/cli/context-of.ts'
import { reachOf } from '../../lib/config/reach.ts'
import { loadConfig } from '../../lib/config.ts'
import { locateEnvironment } from '../../lib/manifest/environments.ts'
import { optional } from '../../lib/object.ts'
import { anySecrets } from '../../lib/spec/any-secrets.ts'
import { validateRepository } from '../../lib/validate/repository.ts'
import { snapshotOf, symlink } from '../support/builders/snapshot.ts'
import { followedIn, problemTold, type Room, toldOf } from './followed.ts'

/** A repository, and what stands in `tallyman.yaml`. */
type Scene = {
  files: Record<string, string | typeof symlink>
  tallyman: string
  /** As `--environment` says. */
  environment?: string
}

const prod = 'environments/prod/manifest.json'
const web = 'applications/web.yaml'
const deployment = 'deployments/shop.yaml'
const pod = 'applications/shop.json'
const north = 'environments/prod/sites/north'

/** What `validate` says of it, and what keeps its environment from being found. */
const repository: Room<Scene> = {
  open: () => ({
    files: { [prod]: '{"services": [{"name": "web"}]}', [web]: specification() },
    tallyman: 'metadata: {image: "tallyman:1"}',
  }),
  look: async ({ files, tallyman, environment }) => {
    const directory = await mkdtemp(join(tmpdir(), 'tallyman-hints-'))
    try {
      const config = join(directory, 'tallyman.yaml')
      await writeFile(config, tallyman)
      const configured = loadConfig({ config, repository: '.' }, {})
      const { policy, healthyMs, sandbox, strict, ingress, metadata } = configured
      const snapshot = snapshotOf(files)
      const { problems, warnings } = await validateRepository(snapshot, {
        ...(environment === undefined ? {} : { environments: [environment] }),
        source: 'ops/manifests',
        policy,
        healthyMs,
        sandboxImage: sandbox.image,
        strict,
        secrets: anySecrets,
        ...optional('metadata', metadata),
        ...(ingress === undefined ? {} : { ingress: reachOf(ingress, configured) }),
        ...(tallyman.includes('sites:')
          ? optional('sites', contextOf(configured, 'ops/manifests').sites)
          : {}),
      })
      await locateEnvironment(snapshot, environment)
      return [...problems, ...warnings].map(problemTold)
    } catch (error) {
      return toldOf(error)
    } finally {
      await rm(directory, { recursive: true })
    }
  },
}

/** A pod of one app, and what else it has. */
function podOf(more: object): string {
  const app = { exec: ['/bin/web'], user: '0', group: '0' }
  const apps = [{ name: 'web', image: { name: 'web', labels: [{ name: 'version', value: '1' }] }, app }]
  return JSON.stringify({ acVersion: '0.8.11', acKind: 'PodManifest', apps, ...more })
}

/** An application of one service and one container, each with more of it in YAML. */
function specification(
  name = 'web',
  more: { application?: string; service?: string; container?: string } = {},
): string {
  const { application = '', service = '', container = '' } = more
  const image = name.toLowerCase()
  return `name: ${name}\nservices: [{name: ${name}, containers: [{name: ${name}, image: "${image}:1"${container}}]${service}}]\n${application}`
}

function deploymentOf(name: string, application: string, placement = '{all-sites: true}'): string {
  return `name: ${name}\napplication: ${application}\nplacement: ${placement}\n`
}

function services(...names: readonly string[]): string {
  return JSON.stringify({ services: names.map(name => ({ name })) })
}

function nested(depth: number): string {
  return `${'['.repeat(depth)}${']'.repeat(depth)}`
}

/** Lists, each with the one before it ten times. */
function repeated(...names: readonly string[]): string {
  const lists = names.map(
    (name, index) => `x-${name}: &${name} [${Array(10).fill(index === 0 ? 'x' : `*${names[index - 1]}`)}]\n`,
  )
  return lists.join('')
}

/** Includes of which each includes the next. */
function chain(length: number): Record<string, string> {
  const files = Array.from({ length }, (_, index) => [
    `environments/prod/${index}.json`,
    JSON.stringify(index + 1 < length ? { includes: [`./${index + 1}.json`] } : {}),
  ])
  return { ...Object.fromEntries(files), [prod]: '{"includes": ["./0.json"], "services": [{"name": "web"}]}' }
}

const starred = ', ingress: [{host: "*.example.com", port: 80, tls: auto}]'

/** Has these files in place of what is there. */
function written(files: Scene['files']): (scene: Scene) => void {
  return scene => {
    Object.assign(scene.files, files)
  }
}

/** An application with a volume, made with these options of its driver. */
function volumeOf(options?: string): (scene: Scene) => void {
  const volume = options === undefined ? '{}' : `{driver_opts: ${options}}`
  return written({
    [web]: specification('web', {
      container: ', mounts: [{volume-name: v, mount-path: /v}]',
      service: `, volumes: [{name: v, persistent-volume: ${volume}}]`,
    }),
  })
}

function bound(path: string): (scene: Scene) => void {
  return volumeOf(`{type: none, device: ${path}, o: bind}`)
}

/** Two applications that say the same of themselves. */
function two(other: string, more: Parameters<typeof specification>[1]): (scene: Scene) => void {
  return ({ files }) => {
    files[prod] = services('web', other)
    files[web] = specification('web', more)
    files[`applications/${other}.yaml`] = specification(other, more)
  }
}

/** `web` and `shop` are on two sites, each on one of them. */
function onOtherSites(scene: Scene): void {
  scene.files['deployments/web.yaml'] = deploymentOf('web', 'web', '{match-site-labels: lab}')
  scene.files[deployment] = deploymentOf('shop', 'shop', '{match-site-labels: not lab}')
  scene.tallyman +=
    "\nsites: [{name: one, endpoint: unix:///run/one.sock, labels: {lab: ''}}, {name: other, endpoint: unix:///run/other.sock}]"
}

function routed(path: string, tls: string): string {
  return `, ingress: [{host: shop.example.com, path: ${path}, port: 80, tls: ${tls}}]`
}

function published(port: number): string {
  return `, network: {ingress-ip-per-instance: {protocols: [{name: tcp, port-ranges: "${port}"}]}}`
}

/** An application with a service of that name on a network that others may share. */
function sharing(name: string, service: string, network: string): string {
  return `name: ${name}\nnetwork: {shared-application-network: ${network}}\nservices: [{name: ${service}, containers: [{name: ${service}, image: "api:1"}]}]\n`
}

export const inRepositories = followedIn(repository, [
  {
    code: 'json-invalid',
    wrong: written({ [prod]: '{"services": [{"name": "web"}],} // ours' }),
    follow: {
      'Correct the syntax at the place named': written({ [prod]: services('web') }),
    },
    says: ['comments and trailing commas are not JSON'],
  },
  {
    code: 'yaml-invalid',
    wrong: written({ [web]: `${specification()}}` }),
    follow: {
      'Correct the syntax at the place named': written({ [web]: specification() }),
    },
  },
  {
    code: 'duplicate-key',
    wrong: written({ [web]: `name: web\n${specification()}` }),
    follow: { 'Keep one of the two': written({ [web]: specification() }) },
  },
  {
    code: 'document-too-complex',
    wrong: written({ [web]: `${specification()}x-notes: ${'x'.repeat(1024 * 1024)}\n` }),
    follow: {
      'Shorten the file': written({ [web]: `${specification()}x-notes: x\n` }),
      'divide what it holds among several files': scene => {
        scene.files[prod] = services('web', 'api')
        scene.files[web] = `${specification()}x-notes: ${'x'.repeat(512 * 1024)}\n`
        scene.files['applications/api.yaml'] = `${specification('api')}x-notes: ${'x'.repeat(512 * 1024)}\n`
      },
    },
  },
  {
    code: 'document-too-complex',
    hint: 'Nest the values less deeply.',
    wrong: written({ [web]: `${specification()}x-notes: ${nested(120)}\n` }),
    follow: {
      'Nest the values less deeply': written({ [web]: `${specification()}x-notes: ${nested(20)}\n` }),
    },
  },
  {
    code: 'document-too-complex',
    hint: 'Have aliases repeat less, or divide what the file holds among several files.',
    wrong: written({ [web]: `${specification()}${repeated('a', 'b', 'c', 'd', 'e', 'f')}` }),
    follow: {
      'Have aliases repeat less': written({ [web]: `${specification()}${repeated('a', 'b', 'c')}` }),
      'divide what the file holds among several files': written({
        [web]: `${specification()}${repeated('a', 'b', 'c', 'd')}`,
      }),
    },
  },
  {
    code: 'application-too-large',
    wrong: written({ [web]: specification('web', { container: ', ports: ["1-9000"]' }) }),
    follow: {
      'Reduce what the message names': written({
        [web]: specification('web', { container: ', ports: ["80"]' }),
      }),
    },
    says: ['docs/operations.md lists the limits'],
  },
  {
    code: 'manifest-invalid',
    wrong: written({ [prod]: '{"service": [{"name": "web"}]}' }),
    follow: {
      'Correct the line named in the message': written({ [prod]: services('web') }),
    },
    says: ['docs/manifests.md lists every key'],
  },
  {
    code: 'include-cycle',
    wrong: written({
      [prod]: '{"includes": ["./a.json"], "services": [{"name": "web"}]}',
      'environments/prod/a.json': '{"includes": ["./manifest.json"]}',
    }),
    follow: {
      'Remove one of the includes in the chain that the message names': written({
        'environments/prod/a.json': '{}',
      }),
    },
  },
  {
    code: 'include-invalid',
    wrong: written({
      [prod]: '{"includes": ["..\\\\shared.json"], "services": [{"name": "web"}]}',
      'environments/shared.json': '{}',
    }),
    follow: {
      'Write the path relative to the file that includes it, with "/" between directories': written({
        [prod]: '{"includes": ["../shared.json"], "services": [{"name": "web"}]}',
      }),
    },
  },
  {
    code: 'too-many-includes',
    wrong: written(chain(60)),
    follow: { 'Include fewer files': written(chain(10)) },
    says: ['docs/manifests.md names the limits'],
  },
  {
    code: 'duplicate-service',
    wrong: written({ [prod]: services('web', 'web') }),
    follow: { 'Keep one of the two': written({ [prod]: services('web') }) },
  },
  {
    code: 'confirmation-ignored',
    wrong: written({
      [prod]: '{"includes": ["./a.json"], "services": [{"name": "web"}]}',
      'environments/prod/a.json': '{"skipConfirmation": true}',
    }),
    follow: {
      'Move it to the manifest.json of the environment': written({
        [prod]: '{"includes": ["./a.json"], "services": [{"name": "web"}], "skipConfirmation": true}',
        'environments/prod/a.json': '{}',
      }),
      'remove it': written({ 'environments/prod/a.json': '{}' }),
    },
  },
  {
    code: 'file-missing',
    wrong: written({ [prod]: '{"includes": ["./a.json"], "services": [{"name": "web"}]}' }),
    follow: {
      'Add the file': written({ 'environments/prod/a.json': '{}' }),
      'correct the path': written({
        [prod]: '{"includes": ["./b.json"], "services": [{"name": "web"}]}',
        'environments/prod/b.json': '{}',
      }),
    },
  },
  {
    code: 'path-forbidden',
    wrong: ({ files }) =>
      Object.assign(files, {
        [prod]: '{"includes": ["./a.json"], "services": [{"name": "web"}]}',
        'environments/prod/a.json': symlink,
        'environments/prod/b.json': '{}',
      }),
    follow: {
      'Name a regular file of the repository, relative to its root': ({ files }) =>
        Object.assign(files, { [prod]: '{"includes": ["./b.json"], "services": [{"name": "web"}]}' }),
    },
  },
  {
    code: 'path-forbidden',
    hint: 'Commit a regular file in place of the symlink.',
    wrong: ({ files }) => Object.assign(files, { [web]: symlink }),
    follow: {
      'Commit a regular file in place of the symlink': ({ files }) =>
        Object.assign(files, { [web]: specification() }),
    },
  },
  {
    code: 'path-forbidden',
    hint: 'Commit a regular file as environments/prod/manifest.json.',
    wrong: ({ files }) => Object.assign(files, { [prod]: symlink }),
    follow: {
      'Commit a regular file as environments/prod/manifest.json': ({ files }) =>
        Object.assign(files, { [prod]: '{"services": [{"name": "web"}]}' }),
    },
  },
  {
    code: 'file-missing',
    hint: 'Commit a regular file in place of the directory.',
    wrong: ({ files }) => {
      delete files[web]
      files[`${web}/web.yaml`] = specification()
    },
    follow: {
      'Commit a regular file in place of the directory': ({ files }) => {
        delete files[`${web}/web.yaml`]
        files[web] = specification()
      },
    },
  },
  {
    code: 'path-forbidden',
    hint: 'Commit a directory in place of the symlink.',
    wrong: scene => {
      scene.files['environments/devel'] = symlink
      scene.environment = 'prod'
    },
    follow: {
      'Commit a directory in place of the symlink': ({ files }) => {
        delete files['environments/devel']
        files['environments/devel/manifest.json'] = '{}'
      },
    },
  },
  {
    code: 'environment-not-found',
    wrong: scene => Object.assign(scene, { environment: 'stage' }),
    follow: {
      'Add environments/NAME/manifest.json': written({ 'environments/stage/manifest.json': '{}' }),
      'name an existing one with --environment': scene => Object.assign(scene, { environment: 'prod' }),
    },
    says: ['What runs of an environment that was deleted stays'],
  },
  {
    code: 'environment-not-found',
    hint: 'Add environments/NAME/manifest.json to the repository.',
    wrong: scene => Object.assign(scene, { files: {} }),
    follow: {
      'Add environments/NAME/manifest.json to the repository': written({ [prod]: '{}' }),
    },
  },
  {
    code: 'environment-not-found',
    hint: 'environments/prod/manifest.yaml is not read: rename it to manifest.json, as JSON.',
    wrong: scene => Object.assign(scene, { files: { 'environments/prod/manifest.yaml': 'services: []' } }),
    follow: {
      'environments/prod/manifest.yaml is not read: rename it to manifest.json, as JSON': scene =>
        Object.assign(scene, { files: { [prod]: '{"services": []}' } }),
    },
  },
  {
    code: 'environment-ambiguous',
    hint: 'Name one with --environment.',
    wrong: written({ 'environments/test/manifest.json': '{}' }),
    follow: { 'Name one with --environment': scene => Object.assign(scene, { environment: 'test' }) },
  },
  {
    code: 'environment-ambiguous',
    wrong: scene => {
      scene.files['team/environments/prod/manifest.json'] = '{}'
      scene.environment = 'prod'
    },
    follow: {
      'Give the directory of the environment instead of its name': scene =>
        Object.assign(scene, { environment: 'team/environments/prod' }),
      'keep the environment in one place': ({ files }) =>
        delete files['team/environments/prod/manifest.json'],
    },
  },
  {
    code: 'manifest-misnamed',
    wrong: written({ 'environments/prod/manifests.json': '{}' }),
    follow: {
      'Rename it to manifest.json and write it as JSON': ({ files }) => {
        delete files['environments/prod/manifests.json']
        files[prod] = services('web')
      },
      'give it another name': ({ files }) => {
        delete files['environments/prod/manifests.json']
        files['environments/prod/notes.json'] = '{}'
      },
    },
  },
  {
    code: 'manifest-misnamed',
    hint: 'Rename Environments to environments.',
    wrong: scene => {
      scene.files['Environments/test/manifest.json'] = '{}'
      scene.environment = 'prod'
    },
    follow: {
      'Rename Environments to environments': ({ files }) => {
        delete files['Environments/test/manifest.json']
        files['environments/test/manifest.json'] = '{}'
      },
    },
  },
  {
    code: 'application-misnamed',
    wrong: written({ 'applications/shop.YAML': specification('shop') }),
    follow: {
      'Rename it: specifications are named applications/NAME.yaml, .yml or .json, with NAME as the manifest spells it':
        ({ files }) => {
          delete files['applications/shop.YAML']
          files['applications/shop.yaml'] = specification('shop')
          files[prod] = services('web', 'shop')
        },
      'give it another name': ({ files }) => {
        delete files['applications/shop.YAML']
        files['applications/shop.txt'] = specification('shop')
      },
    },
  },
  {
    code: 'path-forbidden',
    hint: 'Make applications a directory that holds the files themselves, or remove it.',
    wrong: ({ files }) => {
      delete files[web]
      files['applications'] = symlink
    },
    follow: {
      'Make applications a directory that holds the files themselves': ({ files }) => {
        delete files['applications']
        files[web] = specification()
      },
      'remove it': ({ files }) => {
        delete files['applications']
        files[prod] = '{"services": [{"name": "web", "containers": [{"dockerTag": "1"}]}]}'
      },
    },
  },
  {
    code: 'environment-invalid',
    wrong: scene => {
      scene.files['environments/pr od/manifest.json'] = '{}'
      scene.environment = 'prod'
    },
    follow: {
      'Rename the directory': ({ files }) => {
        delete files['environments/pr od/manifest.json']
        files['environments/pr-od/manifest.json'] = '{}'
      },
    },
  },
  {
    code: 'environment-invalid',
    hint: 'Rename it: the environment gives its name to a network, and that name is taken by the engine or looks like one of the ingress.',
    wrong: scene => {
      scene.files['environments/host/manifest.json'] = '{}'
      scene.environment = 'prod'
    },
    follow: {
      'Rename it': ({ files }) => {
        delete files['environments/host/manifest.json']
        files['environments/hosts/manifest.json'] = '{}'
      },
    },
    says: [
      'the environment gives its name to a network, and that name is taken by the engine or looks like one of the ingress',
    ],
  },
  {
    code: 'application-invalid',
    wrong: written({ [web]: specification('web', { container: ', cpus: 0' }) }),
    follow: {
      'Correct the line named in the message': written({
        [web]: specification('web', { container: ', cpus: 0.5' }),
      }),
    },
    says: ['docs/manifests.md lists every key'],
  },
  {
    code: 'name-mismatch',
    wrong: ({ files }) => {
      delete files[web]
      files[prod] = services('shop')
      files['applications/shop.yaml'] = specification('web')
    },
    follow: {
      'Rename the file': ({ files }) => {
        files[web] = specification('web')
        files[prod] = services('web')
        delete files['applications/shop.yaml']
      },
      'change "name" in it': written({ 'applications/shop.yaml': specification('shop') }),
    },
  },
  {
    code: 'duplicate-application',
    wrong: written({ 'applications/web.json': '{}' }),
    follow: { 'Keep one of the two files': ({ files }) => delete files['applications/web.json'] },
  },
  {
    code: 'deployment-invalid',
    wrong: written({ [deployment]: deploymentOf('shop', 'web', '{match-site-labels: a == b}') }),
    follow: {
      'Correct the line named in the message': written({ [deployment]: deploymentOf('shop', 'web') }),
    },
    says: ['docs/deployments.md lists every key, and describes label expressions'],
  },
  {
    code: 'pod-invalid',
    wrong: written({ [prod]: services('shop'), [pod]: podOf({ acVersion: 'newest' }) }),
    follow: { 'Correct the line named in the message': written({ [pod]: podOf({}) }) },
    says: ['docs/pods.md lists every key'],
  },
  {
    code: 'pod-unrunnable',
    wrong: written({ [prod]: services('shop'), [pod]: podOf({ ports: [{ name: 'http', hostPort: 8080 }] }) }),
    follow: {
      'Correct the line named in the message': written({
        [pod]: podOf({
          ports: [{ name: 'http', hostPort: 8080, podPort: { name: 'http', protocol: 'tcp', port: 80 } }],
        }),
      }),
    },
    says: ['docs/pods.md says what engines carry out, key by key'],
  },
  {
    code: 'pod-changed',
    wrong: written({
      [prod]: services('shop'),
      [pod]: podOf({ isolators: [{ name: 'example.com/ponies' }] }),
    }),
    follow: {},
    says: ['Nothing to do if what runs is what you mean; docs/pods.md says what becomes of every key'],
  },
  {
    code: 'pod-strict',
    wrong: scene => {
      scene.files[prod] = services('shop')
      scene.files[pod] = podOf({ isolators: [{ name: 'example.com/ponies' }] })
      scene.tallyman += '\nstrict: true'
    },
    follow: { 'Correct the line named in the message': written({ [pod]: podOf({}) }) },
    says: ['docs/pods.md says what becomes of every key', 'Without "strict", the pod runs with a warning'],
  },
  {
    code: 'label-unknown',
    wrong: scene => {
      scene.files[deployment] = deploymentOf('shop', 'web', '{match-site-labels: lba}')
      scene.tallyman += "\nsites: [{name: local, labels: {lab: ''}}]"
    },
    follow: {
      'Correct the label': written({ [deployment]: deploymentOf('shop', 'web', '{match-site-labels: lab}') }),
      'or give it to a site in the configuration': scene => {
        scene.tallyman = scene.tallyman.replace('lab:', 'lba:')
      },
    },
    says: ['Nothing to do if a site gets it later'],
  },
  {
    code: 'duplicate-deployment',
    wrong: written({
      [deployment]: deploymentOf('shop', 'web'),
      'deployments/other.yaml': deploymentOf('other', 'web'),
    }),
    follow: { 'Keep one of the two files': ({ files }) => delete files['deployments/other.yaml'] },
  },
  {
    code: 'site-misnamed',
    wrong: written({ [`${north}/manifest.yaml`]: services('web') }),
    follow: {
      'Rename it: what is different on one site stands in environments/NAME/sites/SITE/, in manifest.json, variables.yaml, secrets.yaml and applications/':
        ({ files }) => {
          delete files[`${north}/manifest.yaml`]
          files[`${north}/manifest.json`] = services('web')
        },
      'Or remove it': ({ files }) => {
        delete files[`${north}/manifest.yaml`]
      },
    },
  },
  {
    code: 'overlay-unmatched',
    wrong: written({ [`${north}/manifest.json`]: services('wep') }),
    follow: {
      'Correct the name': written({ [`${north}/manifest.json`]: services('web') }),
      'remove the entry': written({ [`${north}/manifest.json`]: services() }),
      'To run something on some sites only, add it to the environment and give it a deployment': written({
        [prod]: services('web', 'wep'),
        'applications/wep.yaml': specification('wep'),
        'deployments/wep.yaml': deploymentOf('wep', 'wep', '{match-site-labels: lab}'),
      }),
    },
  },
  {
    code: 'variables-invalid',
    wrong: written({ [`${north}/variables.yaml`]: 'web: debug\n' }),
    follow: {
      'Write the applications, and below each the names of its variables with their values': written({
        [web]: specification('web', { service: ', variables: [{name: LEVEL, value: info}]' }),
        [`${north}/variables.yaml`]: 'web: {LEVEL: debug}\n',
      }),
    },
  },
  {
    code: 'deployment-misnamed',
    wrong: written({ 'deployments/shop.YAML': deploymentOf('shop', 'web') }),
    follow: {
      'Rename it: these specifications are named deployments/NAME.yaml, .yml or .json': ({ files }) => {
        delete files['deployments/shop.YAML']
        files[deployment] = deploymentOf('shop', 'web')
      },
      'give it another name': ({ files }) => {
        delete files['deployments/shop.YAML']
        files['deployments/shop.txt'] = deploymentOf('shop', 'web')
      },
    },
  },
  {
    code: 'nothing-to-run',
    wrong: written({ [prod]: services('web', 'shop') }),
    follow: {
      'Give the service a "containers" list': written({
        [prod]: '{"services": [{"name": "web"}, {"name": "shop", "containers": [{"dockerTag": "1"}]}]}',
      }),
      'add an application specification of its name under applications/': written({
        'applications/shop.yaml': specification('shop'),
      }),
    },
  },
  {
    code: 'container-unmatched',
    wrong: ({ files }) => {
      files[prod] = '{"services": [{"name": "web", "containers": [{"dockerName": "wep", "dockerTag": "1"}]}]}'
      files[web] =
        'name: web\nservices: [{name: web, containers: [{name: web, image: "web:1"}, {name: b, image: "b:1"}]}]\n'
    },
    follow: {
      'Set "dockerName" to the name of an image in the application specification': written({
        [prod]: '{"services": [{"name": "web", "containers": [{"dockerName": "web", "dockerTag": "1"}]}]}',
      }),
    },
  },
  {
    code: 'image-invalid',
    wrong: written({
      [prod]: '{"services": [{"name": "Shop", "containers": [{"dockerTag": "V1"}]}, {"name": "web"}]}',
    }),
    follow: {
      'Write it as registry/name:tag, in lower case except for the tag': written({
        [prod]:
          '{"services": [{"name": "Shop", "containers": [{"dockerName": "registry.example.com/shop", "dockerTag": "V1"}]}, {"name": "web"}]}',
      }),
    },
  },
  {
    code: 'policy-violation',
    hint: "Leave it out, or mount a directory without the engine's socket; whoever reaches that is root on the host.",
    wrong: scene => {
      bound('/var/run')(scene)
      scene.tallyman = 'policy: {hostMounts: [/var/run, /srv]}'
    },
    follow: {
      'Leave it out': written({ [web]: specification() }),
      "mount a directory without the engine's socket": bound('/srv/data'),
    },
    says: ['whoever reaches that is root on the host'],
  },
  {
    code: 'policy-violation',
    hint: 'Write the path from the root of the host, beginning with "/".',
    wrong: scene => {
      bound('srv/data')(scene)
      scene.tallyman = 'policy: {hostMounts: [/srv]}'
    },
    follow: { 'Write the path from the root of the host, beginning with "/"': bound('/srv/data') },
  },
  {
    code: 'policy-violation',
    hint: 'Write the path without "..".',
    wrong: scene => {
      bound('/srv/a/../data')(scene)
      scene.tallyman = 'policy: {hostMounts: [/srv]}'
    },
    follow: { 'Write the path without ".."': bound('/srv/data') },
  },
  {
    code: 'policy-violation',
    hint: 'Leave "driver_opts" out, or write them as the message says.',
    wrong: scene => {
      volumeOf('{type: 9p, device: /srv/data, o: trans=unix}')(scene)
      scene.tallyman = 'policy: {hostMounts: [/srv]}'
    },
    follow: {
      'Leave "driver_opts" out': volumeOf(),
      'write them as the message says': bound('/srv/data'),
    },
  },
  {
    code: 'policy-violation',
    wrong: written({ [web]: specification('web', { container: ', privileged: true' }) }),
    follow: {
      'Leave it out': written({ [web]: specification() }),
      'have the operator allow it under "policy" in tallyman.yaml': scene =>
        Object.assign(scene, { tallyman: 'policy: {privileged: true}' }),
    },
  },
  {
    code: 'no-effect',
    wrong: written({
      [web]: specification('web', { service: ', placement: {match-host-labels: "a"}' }),
    }),
    follow: {},
    says: ['Nothing to do; the key may stay for other tools'],
  },
  {
    code: 'requires-unsatisfied',
    wrong: ({ files }) => {
      files[prod] = '{"services": [{"name": "web"}]}'
      files[web] = `${specification()}requires: {db: ">=2"}\n`
    },
    follow: {
      'Add the other application to the manifest': ({ files }) => {
        files[prod] = '{"services": [{"name": "web"}, {"name": "db", "version": "2.1.0"}]}'
        files['applications/db.yaml'] = specification('db')
      },
      'correct its "version"': ({ files }) => {
        files[prod] = '{"services": [{"name": "web"}, {"name": "db", "version": "2.0.0"}]}'
        files['applications/db.yaml'] = specification('db')
      },
      'the range': ({ files }) => {
        files[web] = `${specification()}requires: {db: ">=1"}\n`
        files[prod] = '{"services": [{"name": "web"}, {"name": "db", "version": "1.0.0"}]}'
        files['applications/db.yaml'] = specification('db')
      },
    },
  },
  {
    code: 'requires-unsatisfied',
    hint: 'Correct what blocks db, which has an error of its own.',
    wrong: ({ files }) => {
      files[prod] = services('web', 'db')
      files[web] = `${specification()}requires: {db: "*"}\n`
      files['applications/db.yaml'] = specification('other')
    },
    follow: {
      'Correct what blocks db': ({ files }) => {
        files['applications/db.yaml'] = specification('db')
      },
    },
    says: ['which has an error of its own'],
  },
  {
    code: 'requires-cycle',
    wrong: ({ files }) => {
      files[prod] = services('web', 'db')
      files[web] = `${specification()}requires: {db: "*"}\n`
      files['applications/db.yaml'] = `${specification('db')}requires: {web: "*"}\n`
    },
    follow: {
      'Remove one of the requirements that the message names': written({
        'applications/db.yaml': specification('db'),
      }),
    },
  },
  {
    code: 'route-taken',
    wrong: two('shop', { service: ', ingress: [{host: shop.example.com, port: 80}]' }),
    follow: {
      'Give one of them another host': written({
        [web]: specification('web', { service: ', ingress: [{host: www.example.com, port: 80}]' }),
      }),
      path: written({
        [web]: specification('web', {
          service: ', ingress: [{host: shop.example.com, path: /web, port: 80}]',
        }),
      }),
      'let no site have both': onOtherSites,
    },
    says: ['until then both stay as they run'],
  },
  {
    code: 'certificate-claimed',
    wrong: ({ files }) => {
      files[prod] = services('web', 'shop')
      files[web] = specification('web', { service: routed('/', 'auto') })
      files['applications/shop.yaml'] = specification('shop', { service: routed('/shop', 'internal') })
    },
    follow: {
      'Give both routes the same "tls"': written({
        'applications/shop.yaml': specification('shop', { service: routed('/shop', 'auto') }),
      }),
      'another host to one of them': written({
        'applications/shop.yaml': specification('shop', {
          service: ', ingress: [{host: other.example.com, port: 80, tls: internal}]',
        }),
      }),
    },
    says: [
      'until then the application with the route / decides, or else the one that the manifest names first, and tallyman leaves the other one as it is',
    ],
  },
  {
    code: 'certificate-unobtainable',
    wrong: written({ [web]: specification('web', { service: starred }) }),
    follow: {
      'Put a certificate of the operator that names the host into "ingress.certificates" of tallyman.yaml':
        scene => {
          scene.tallyman = 'ingress: {certificates: [{cert: /srv/star.pem, key: /srv/star.key}]}'
        },
      'write a route for each host by its name': written({
        [web]: specification('web', { service: starred.replace('*', 'shop') }),
      }),
      'or "tls: internal"': written({
        [web]: specification('web', { service: starred.replace('auto', 'internal') }),
      }),
    },
  },
  {
    code: 'port-claimed',
    wrong: two('shop', { service: published(8080) }),
    follow: {
      'Publish one of them on another port': written({
        [web]: specification('web', { service: published(8081) }),
      }),
      'let no site have both': onOtherSites,
    },
    says: ['until then tallyman leaves the application that the manifest names later as it is'],
  },
  {
    code: 'name-claimed',
    wrong: ({ files }) => {
      files[prod] = services('web', 'shop')
      files[web] = sharing('web', 'api', 'one')
      files['applications/shop.yaml'] = sharing('shop', 'api', 'one')
    },
    follow: {
      'Rename a service': written({ 'applications/shop.yaml': sharing('shop', 'prices', 'one') }),
      'put the applications on different networks': written({
        'applications/shop.yaml': sharing('shop', 'api', 'other'),
      }),
      'let no site have both': onOtherSites,
    },
    says: ['until then tallyman leaves the application that the manifest names later as it is'],
  },
  {
    code: 'name-reserved',
    wrong: ({ files }) => {
      files[prod] = services('web', 'tallyman-ingress')
      files['applications/tallyman-ingress.yaml'] = specification('tallyman-ingress')
    },
    follow: {
      'Give it another name': ({ files }) => {
        delete files['applications/tallyman-ingress.yaml']
        files['applications/door.yaml'] = specification('door')
        files[prod] = services('web', 'door')
      },
    },
  },
  {
    code: 'size-not-enforced',
    wrong: written({
      [web]: specification('web', { service: ', volumes: [{name: cache, ephemeral-volume: {size: 1GB}}]' }),
    }),
    follow: {
      'Use "tmpfs: {size}" where the limit must be enforced': written({
        [web]: specification('web', { service: ', volumes: [{name: cache, tmpfs: {size: 1GB}}]' }),
      }),
    },
  },
])
