import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Flags } from '../../lib/config/overlay.ts'
import { type Config, loadConfig, refuseWrongSites } from '../../lib/config.ts'
import { connect } from '../../lib/docker/connect.ts'
import { ingressSettings } from '../../lib/reconcile/repository/ingress/read-ingress-settings.ts'
import { anySecrets } from '../../lib/spec/any-secrets.ts'
import { warningsOnWindows } from '../../lib/validate/unmet-windows.ts'
import { followedIn, problemTold, type Room, type Told, toldOf } from './followed.ts'

/** A directory with `tallyman.yaml` in it, and how a command is called there. */
type Scene = {
  readonly directory: string
  tallyman: string
  flags: Flags
  env: NodeJS.ProcessEnv
  /** What is in the directory `sites`; absent: there is no such directory. */
  sites?: Readonly<Record<string, string>>
}

/** What a command says of its configuration before it does anything. */
const room: Room<Scene> = {
  open: async () => ({
    directory: await mkdtemp(join(tmpdir(), 'tallyman-hints-')),
    tallyman: 'repository: {url: /srv/manifests}',
    flags: {},
    env: {},
  }),
  look: async ({ directory, tallyman, flags, env, sites }) => {
    const config = join(directory, 'tallyman.yaml')
    await writeFile(config, tallyman)
    await rm(join(directory, 'sites'), { recursive: true, force: true })
    if (sites !== undefined) await mkdir(join(directory, 'sites'))
    for (const [name, text] of Object.entries(sites ?? {}))
      await writeFile(join(directory, 'sites', name), text)
    try {
      return await toldBy(loadConfig({ config, ...flags }, env))
    } catch (error) {
      return toldOf(error)
    }
  },
  close: ({ directory }) => rm(directory, { recursive: true }),
}

async function toldBy(config: Config): Promise<readonly Told[]> {
  refuseWrongSites(config)
  const { sites, ingress } = config
  for (const site of sites) connect(site, async () => undefined)
  const settings = await ingressSettings(ingress, anySecrets)
  const windows = await warningsOnWindows(sites, 'tallyman.yaml', Date.UTC(2026, 10, 29))
  return [...(settings?.state === 'unusable' ? [settings.problem] : []), ...windows].map(problemTold)
}

const says = (tallyman: string) => (scene: Scene) => {
  scene.tallyman = `repository: {url: /srv/manifests}\n${tallyman}`
}

const opensOn = (day: string) => `[{daysOfWeek: ${day}, startTime: "00:00", timezone: UTC, duration: 1h}]`
const oslo = (windows: string) => says(`sites: [{name: oslo, windows: {${windows}}}]`)

const inDirectory = (sites?: Readonly<Record<string, string>>) => (scene: Scene) => {
  says('sitesDirectory: sites')(scene)
  if (sites !== undefined) scene.sites = sites
}

const key = 'Correct the key named in the message'

export const inConfigurations = followedIn(room, [
  {
    code: 'window-never-opens',
    wrong: oslo(`provider: ${opensOn('Monday')}, owner: ${opensOn('Friday')}`),
    follow: {
      'Change the windows of one of the two so that both are open at the same time': oslo(
        `provider: ${opensOn('Monday')}, owner: ${opensOn('Monday')}`,
      ),
      'remove those of one': oslo(`provider: ${opensOn('Monday')}`),
    },
  },
  {
    code: 'config-invalid',
    hint: 'Put a regular file of one site there that tallyman may read, or take it away.',
    wrong: inDirectory({ 'east.yaml': '#'.repeat(2 * 1024 * 1024) }),
    follow: {
      'Put a regular file of one site there that tallyman may read': inDirectory({
        'east.yaml': 'endpoint: unix:///run/east.sock',
      }),
      'take it away': inDirectory({ 'west.yaml': 'endpoint: unix:///run/west.sock' }),
    },
  },
  { code: 'config-invalid', wrong: says('pol: 30s'), follow: { [key]: says('poll: 30s') } },
  {
    code: 'config-invalid',
    wrong: says('sites: [{name: store, endpoint: "ssh://store"}]'),
    follow: { [key]: says('sites: [{name: store, endpoint: "tcp://store"}]') },
  },
  {
    code: 'config-invalid',
    hint: 'Correct the syntax at the place named.',
    wrong: says('sites: [{name: store}'),
    follow: { 'Correct the syntax at the place named': says('sites: [{name: store}]') },
  },
  {
    code: 'config-invalid',
    hint: 'Correct "sitesDirectory" in the configuration, or create the directory.',
    wrong: inDirectory(),
    follow: {
      'Correct "sitesDirectory" in the configuration': says(`sitesDirectory: ${import.meta.dirname}`),
      'create the directory': inDirectory({}),
    },
  },
  {
    code: 'config-invalid',
    hint: 'Keep one of the two, or give the other one another name and the endpoint of another engine.',
    wrong: inDirectory({ 'oslo.yaml': 'endpoint: tcp://oslo', 'oslo.json': '{"endpoint": "tcp://oslo"}' }),
    follow: {
      'Keep one of the two': inDirectory({ 'oslo.yaml': 'endpoint: tcp://oslo' }),
      'give the other one another name and the endpoint of another engine': inDirectory({
        'oslo.yaml': 'endpoint: tcp://oslo',
        'moss.json': '{"endpoint": "tcp://moss"}',
      }),
    },
  },
  {
    code: 'config-invalid',
    hint: 'Correct the path that --config or TALLYMAN_CONFIG names, or the permissions of the file.',
    wrong: scene => {
      scene.flags = { config: join(scene.directory, 'other.yaml') }
    },
    follow: {
      'Correct the path that --config or TALLYMAN_CONFIG names': scene => {
        scene.flags = {}
      },
      'the permissions of the file': ({ directory, tallyman }) =>
        writeFile(join(directory, 'other.yaml'), tallyman),
    },
  },
  {
    code: 'config-invalid',
    hint: 'Name it with --repository, TALLYMAN_REPOSITORY or "repository: {url: …}" in tallyman.yaml.',
    wrong: scene => {
      scene.tallyman = 'poll: 30s'
    },
    follow: {
      'Name it with --repository': scene => {
        scene.flags = { repository: '/srv/manifests' }
      },
      TALLYMAN_REPOSITORY: scene => {
        scene.env = { TALLYMAN_REPOSITORY: '/srv/manifests' }
      },
      '"repository: {url: …}" in tallyman.yaml': says('poll: 30s'),
    },
  },
  {
    code: 'config-invalid',
    hint: 'Correct the file, or the key in tallyman.yaml that names it; until then the ingress stays as it is.',
    wrong: scene => says(`ingress: {unavailablePage: ${scene.directory}/sorry.html}`)(scene),
    follow: {
      'Correct the file': ({ directory }) => writeFile(join(directory, 'sorry.html'), '<p>Sorry</p>'),
      'the key in tallyman.yaml that names it': async scene => {
        await writeFile(join(scene.directory, 'page.html'), '<p>Sorry</p>')
        says(`ingress: {unavailablePage: ${scene.directory}/page.html}`)(scene)
      },
    },
    says: ['until then the ingress stays as it is'],
  },
])
