import { oneEnvironment } from '../../lib/cli/options/one-environment.ts'
import { loadConfig } from '../../lib/config.ts'
import { createMemory } from '../../lib/reconcile/memory.ts'
import { rivalsOf } from '../../lib/reconcile/repository/ingress/rival-ingress.ts'
import { meetEngine, takeEngine } from '../../lib/reconcile/site/identity/twin.ts'
import { sitesOf } from '../../lib/reconcile/site/site.ts'
import type { World } from '../../lib/reconcile/world.ts'
import { anySecrets } from '../../lib/spec/any-secrets.ts'
import { strictPolicy } from '../../lib/spec/policy/policy.ts'
import { validateFile } from '../../lib/validate/file.ts'
import { ingressConfig } from '../support/builders/ingress-config.ts'
import { asSite } from '../support/builders/sites.ts'
import { memoryEngine } from '../support/memory/memory-engine.ts'
import { memoryJournal } from '../support/memory/memory-journal.ts'
import { type FollowedHint, followedIn, problemTold, type Room, toldOf } from './followed.ts'

const { signal } = new AbortController()

/** Sites of the configuration, with the id of the engine that each leads to. */
const sites: Room<Map<string, string>> = {
  open: () => new Map([['a', 'ABC']]),
  look: async scene => {
    const engines = [...scene].map(([site, id]) => ({
      ...memoryEngine({ site }),
      info: async () => ({ id, host: 'store', version: '27.0.0', os: 'linux', architecture: 'amd64' }),
    }))
    try {
      const world: Partial<World> = {
        ...{ engines, journal: memoryJournal(), memory: createMemory() },
        config: {
          ...loadConfig({ repository: '.' }, {}),
          sites: engines.map(({ site }) => asSite({ name: site })),
        },
      }
      for (const site of sitesOf(world as World)) {
        await meetEngine(site, signal)
        takeEngine(site, { environment: 'prod' }, false)
      }
      return []
    } catch (error) {
      return toldOf(error)
    }
  },
}

/** `ingress` of the configuration, where the ingress of another environment runs on the same site. */
const ingresses: Room<{ ingress: object; runs: readonly string[] }> = {
  open: () => ({ ingress: {}, runs: [] }),
  look: ({ ingress, runs }) => {
    const config = {
      environments: ['prod', 'devel'],
      ingress: ingressConfig(ingress),
      sites: [{ name: 'local' }],
    }
    const journal = {
      routedSites: (name: string, sites: readonly string[]) => (runs.includes(name) ? sites : []),
      environments: () => [],
    }
    const devel = { name: 'devel', directory: 'environments/devel', environment: 'devel' }
    return rivalsOf({ config, journal }, devel).map(({ problem }) => problemTold(problem))
  },
}

/** The operands and flags of a command. */
const commands: Room<{ file: string; environment: readonly string[] }> = {
  open: () => ({ file: 'tallyman.yaml', environment: [] }),
  look: ({ file, environment }) => {
    const context = {
      source: 'ops/manifests',
      policy: strictPolicy,
      healthyMs: 5_000,
      sandboxImage: 'busybox:stable',
      secrets: anySecrets,
    }
    try {
      oneEnvironment({ environment })
      return validateFile(file, '{}', () => context).problems.map(problemTold)
    } catch (error) {
      return toldOf(error)
    }
  },
}

const ports =
  'with "ingress: {environments: {devel: {http: {port: 8080}, https: {port: 8443}}}}" in tallyman.yaml'

export const onSites: readonly FollowedHint[] = [
  ...followedIn(sites, [
    {
      code: 'same-engine',
      wrong: scene => scene.set('b', 'ABC'),
      follow: {
        'Keep one of the two sites': scene => scene.delete('b'),
        'give the other one the endpoint of another engine': scene => scene.set('b', 'DEF'),
      },
    },
  ]),
  ...followedIn(ingresses, [
    {
      code: 'port-claimed',
      hint: `Give one of them other ports or addresses ${ports}.`,
      wrong: scene => {
        scene.runs = ['prod']
      },
      follow: {
        [`Give one of them other ports or addresses ${ports}`]: scene => {
          scene.ingress = { environments: { devel: { http: { port: 8080 }, https: { port: 8443 } } } }
        },
      },
    },
  ]),
  ...followedIn(commands, [
    {
      code: 'wrong-usage',
      hint: 'Name a manifest.json, a file of an applications or deployments directory, a tallyman.yaml, or the directory of a repository.',
      wrong: scene => {
        scene.file = 'notes.yaml'
      },
      follow: {
        'Name a manifest.json': scene => {
          scene.file = 'environments/prod/manifest.json'
        },
        'a tallyman.yaml': scene => {
          scene.file = 'tallyman.yaml'
        },
      },
      says: ['a file of an applications or deployments directory', 'the directory of a repository'],
    },
    {
      code: 'wrong-usage',
      hint: 'Give --environment once.',
      wrong: scene => {
        scene.environment = ['prod', 'test']
      },
      follow: {
        'Give --environment once': scene => {
          scene.environment = ['prod']
        },
      },
    },
  ]),
]
