import type { ErrorCode } from '../../lib/errors/catalogue.ts'
import { Failure } from '../../lib/errors.ts'
import type { Step } from '../../lib/plan/step/step.ts'
import { claimName, claimOn } from '../../lib/writer/on-engine/claim.ts'
import { ingressConfig } from '../support/builders/ingress-config.ts'
import {
  type App,
  aloneOf,
  appOf,
  corrected,
  failing,
  heal,
  put,
  recreated,
  rejecting,
  releaseFails,
  retry,
  retryAlone,
  type Scene,
  withDaemon,
  withoutDaemon,
} from './daemon.ts'
import { type FollowedHint, followedIn } from './followed.ts'

/** The volume by which it says on the engine that it writes there. */
const firstClaim = claimName(claimOn({ source: 'ops/manifests', environment: 'prod' }), 1)

/** What helps against what a release did, by itself or by a correction. */
function releases(
  code: ErrorCode,
  verb: Step['do'],
  words: { readonly says: readonly string[]; readonly commits: Readonly<Record<string, App>> },
  app: App = {},
): readonly FollowedHint[] {
  const commits = Object.fromEntries(
    Object.entries(words.commits).map(([clause, correction]) => [
      clause,
      (scene: Scene) => {
        heal(scene)
        scene.commit(appOf(correction))
      },
    ]),
  )
  const row = { code, wrong: releaseFails(verb, code, app), says: words.says }
  return [
    ...followedIn(withDaemon, [
      {
        ...row,
        follow: {
          ...commits,
          'run "tallyman retry"': async scene => {
            heal(scene)
            await retry(scene)
          },
        },
      },
    ]),
    ...followedIn(withoutDaemon, [
      {
        ...row,
        hint: aloneOf(code),
        says: [...words.says, ...Object.keys(words.commits)],
        follow: {
          'run "tallyman apply --retry"': async scene => {
            heal(scene)
            await retryAlone(scene)
          },
        },
      },
    ]),
  ]
}

/** What is put right on the host, so that the engine does what it refused; or in the repository, by a commit. */
function refusals(
  code: ErrorCode,
  verb: Step['do'],
  clauses: readonly string[],
  { isRetried, says = [], service }: { isRetried?: true; says?: readonly string[]; service?: object } = {},
): readonly FollowedHint[] {
  const app = service === undefined ? {} : { service }
  const [onHost = '', ...inRepository] = clauses
  const byItself = {
    [onHost]: heal,
    ...Object.fromEntries(inRepository.map(words => [words, corrected])),
  }
  if (isRetried !== true)
    return followedIn(withDaemon, [{ code, wrong: releaseFails(verb, code, app), follow: byItself, says }])
  return [
    ...followedIn(withDaemon, [
      {
        code,
        wrong: releaseFails(verb, code, app),
        follow: byItself,
        says: [...says, again.says, again.otherwise],
      },
      {
        code,
        wrong: releaseFails(verb, code, { ...app, strategy: recreated() }),
        follow: {
          [again.otherwise]: async scene => {
            await scene.pass()
            heal(scene)
            await retry(scene)
          },
        },
        says: [...says, ...clauses, again.says],
      },
    ]),
    ...followedIn(withoutDaemon, [
      {
        code,
        hint: aloneOf(code),
        wrong: releaseFails(verb, code, { ...app, strategy: recreated() }),
        follow: {
          'run "tallyman apply --retry"': async scene => {
            heal(scene)
            await retryAlone(scene)
          },
        },
        says: [...says, ...clauses],
      },
    ]),
  ]
}

const pallet = { pallet: { domain: 'shop.example.com' } }
const deployFailed = new Failure('job-failed', 'local: deploy failed with exit code 1', {
  hint: 'Read its output in "tallyman show". Then deploy another image; or correct whatever it depends on, and run "tallyman retry", or "tallyman apply --retry" where no daemon runs.',
})

function routed(host: string): object {
  return { ingress: [{ host: `${host}.example.com`, port: 80 }] }
}

const again = {
  says: 'If another attempt stops nothing that runs, tallyman tries again by itself, with growing pauses',
  otherwise: 'otherwise run "tallyman retry"',
}

/** What engines refuse, and what releases do on them. */
export const onEngines: readonly FollowedHint[] = [
  ...followedIn(withDaemon, [
    {
      code: 'engine-unreachable',
      wrong: scene => {
        scene.answers = { observe: rejecting('engine-unreachable') }
      },
      follow: {
        'Check that dockerd runs and that the endpoint of the site is right': scene => {
          scene.answers = {}
        },
      },
    },
    {
      code: 'claim-refused',
      wrong: async scene => {
        scene.answers = { claims: { ...scene.engine.claims, list: rejecting('claim-refused') } }
        await scene.configure({})
      },
      follow: {
        'Let the proxy pass GET, POST and DELETE of /volumes': scene => {
          scene.answers = {}
        },
      },
    },
    {
      code: 'name-taken',
      hint: `Remove it unless somebody needs it: docker volume rm ${firstClaim}`,
      wrong: async scene => {
        const create = async (name: string) => ({ name, labels: null })
        scene.answers = { claims: { ...scene.engine.claims, create } }
        await scene.engine.claims.remove(firstClaim, new AbortController().signal)
        await scene.configure({})
      },
      follow: {
        [`Remove it unless somebody needs it: docker volume rm ${firstClaim}`]: scene => {
          scene.answers = {}
        },
      },
    },
    {
      code: 'engine-denied',
      wrong: scene => {
        scene.answers = { observe: rejecting('engine-denied') }
      },
      follow: {
        'Check the permissions of its socket, or the certificates under "tls" of the site': scene => {
          scene.answers = {}
        },
      },
    },
    {
      code: 'engine-unsupported',
      wrong: scene => {
        scene.answers = { observe: rejecting('engine-unsupported') }
      },
      follow: {
        'Give the site the endpoint of a Docker Engine, 20.10 or newer': scene => {
          scene.answers = {}
        },
      },
      says: ['Podman is not supported: it cannot ask a registry what a tag means'],
    },
  ]),
  ...refusals(
    'engine-refused',
    'create-container',
    ['Correct what the engine complains about in its own words, at the end of the message'],
    { isRetried: true },
  ),
  ...refusals(
    'mount-refused',
    'create-container',
    ['Create the path on the host, which tallyman never does for you', 'correct it'],
    { isRetried: true },
  ),
  ...refusals('port-taken', 'start-container', ['Free the port', 'publish another one'], { isRetried: true }),
  ...refusals(
    'driver-missing',
    'create-container',
    ['Install the plugin that the message names on the host of the site', 'name another driver'],
    { isRetried: true, says: ['("docker plugin ls" shows what is there)'] },
  ),
  ...refusals('name-taken', 'create-container', ['Rename or remove it'], {
    says: ['tallyman touches nothing that is not its own'],
  }),
  ...refusals(
    'pull-failed',
    'pull-image',
    ['Try "docker pull" on the host or node', 'look whether its disk is full'],
    { isRetried: true },
  ),
  ...refusals('container-missing', 'await-healthy', ['Find out who else removes it'], {
    says: ['tallyman makes it again by itself'],
  }),
  ...releases('unhealthy', 'await-healthy', {
    says: ['Read the output of the check, at the end of the message or in "tallyman show"'],
    commits: { 'commit a correction': { tag: '3' } },
  }),
  ...releases('exited-early', 'await-healthy', {
    says: ['Read its last output, at the end of the message or in "tallyman show"'],
    commits: { 'commit a correction': { tag: '3' } },
  }),
  ...releases(
    'health-timeout',
    'await-healthy',
    {
      says: ['Read its last output in "tallyman show"'],
      commits: {
        'commit a correction': { tag: '3' },
        'a higher "timeoutSeconds" of the strategy': { tag: '2', strategy: recreated(undefined, '', 90) },
      },
    },
    { strategy: recreated() },
  ),
  ...releases(
    'job-failed',
    'run-to-end',
    {
      says: ['Read its output in "tallyman show"; on a host, its container is kept, too'],
      commits: { 'commit a correction': { tag: '2', strategy: recreated('pre', 'other') } },
    },
    { strategy: recreated('pre') },
  ),
  ...releases(
    'job-timeout',
    'run-to-end',
    {
      says: [
        'Find out what it waits for: its last output is in "tallyman show", and on a host, its container is kept',
      ],
      commits: {
        'commit a correction': { tag: '2', strategy: recreated('pre', 'other') },
        'a higher timeoutSeconds for it': { tag: '2', strategy: recreated('pre', 'true', 90) },
      },
    },
    { strategy: recreated('pre') },
  ),
  ...releases(
    'rollout-timeout',
    'await-healthy',
    {
      says: ['Find out what it waited for in "tallyman show"'],
      commits: {
        'commit a correction': { tag: '3' },
        'a higher progressDeadlineSeconds of its strategy': {
          tag: '2',
          strategy: { ...recreated(), progressDeadlineSeconds: 900 },
        },
      },
    },
    { strategy: recreated() },
  ),
  ...followedIn(withDaemon, [
    {
      code: 'start-refused',
      wrong: releaseFails('start-container', 'start-refused', { cmd: 'serve' }),
      follow: {
        'Correct its command, entrypoint, user, working directory or kernel parameters': scene => {
          heal(scene)
          put({ tag: '2', cmd: 'server' })(scene)
        },
        'name an image that is built for this machine': corrected,
      },
    },
    {
      code: 'image-lacking',
      wrong: releaseFails('create-container', 'image-lacking'),
      follow: {
        'Correct "user", "group", "workingDirectory" or "exec" of the app': corrected,
        'run it from an image that has them': corrected,
      },
    },
    {
      code: 'files-refused',
      wrong: releaseFails('create-container', 'files-refused'),
      follow: {
        'With "read_only: true", mount the whole volume instead of single files': corrected,
        'otherwise remove the file that stands where a directory is needed': corrected,
      },
    },
    {
      code: 'files-refused',
      hint: 'Give the mounts of its secrets a "uid", or the container a numeric "user".',
      wrong: releaseFails(
        'create-container',
        new Failure('files-refused', 'local: the user that it runs as cannot be determined', {
          hint: 'Give the mounts of its secrets a "uid", or the container a numeric "user".',
        }),
      ),
      follow: {
        'Give the mounts of its secrets a "uid"': corrected,
        'the container a numeric "user"': scene => {
          heal(scene)
          put({ tag: '2', user: '1000' })(scene)
        },
      },
    },
    {
      code: 'address-pool-empty',
      wrong: scene => {
        scene.fault = failing('create-network', 'address-pool-empty')
        put({}, { name: 'api' })(scene)
      },
      follow: {
        'Remove unused networks': heal,
        'give dockerd more addresses in "default-address-pools"': heal,
      },
    },
    {
      code: 'network-in-use',
      wrong: async scene => {
        await scene.configure({ prune: 'auto' })
        put({}, { name: 'api' })(scene)
        await scene.pass()
        scene.fault = failing('remove-network', 'network-in-use')
        put({})(scene)
      },
      follow: { 'Detach the containers named in the message': heal },
    },
    {
      code: 'digest-unknown',
      wrong: scene => {
        scene.answers = { distribution: rejecting('registry-unreachable') }
        put({ tag: '2' })(scene)
      },
      follow: {
        'Check the registry': scene => {
          scene.answers = {}
        },
      },
      says: [
        'nothing of this application is touched until it answers',
        'An image of a specification without a registry in its name is one of Docker Hub',
      ],
    },
    {
      code: 'address-pool-small',
      wrong: put(...Array.from({ length: 32 }, (_, index) => ({ name: `web-${index}` }))),
      follow: { 'Give dockerd more addresses in "default-address-pools"': () => undefined },
      says: ['the ingress a larger range in "subnets"'],
    },
    {
      code: 'address-pool-small',
      wrong: async scene => {
        await scene.configure({ ingress: ingressConfig({ subnets: '10.201.0.0/26' }) })
        // Otherwise its first pass may make what is committed next, and say so before anybody looks.
        await scene.pass()
        put({ service: routed('a') }, { name: 'api', service: routed('b') })(scene)
      },
      follow: {
        'the ingress a larger range in "subnets"': scene =>
          scene.configure({ ingress: ingressConfig({ subnets: '10.201.0.0/16' }) }),
      },
      says: ['Give dockerd more addresses in "default-address-pools"'],
    },
    {
      code: 'routes-refused',
      wrong: async scene => {
        await scene.configure({ ingress: ingressConfig({}) })
        put({ service: routed('a') })(scene)
        await scene.pass()
        scene.fault = failing('load-routes', 'routes-refused')
        put({ service: routed('b') })(scene)
      },
      follow: {
        'Correct the route or the certificate named in the message': scene => {
          heal(scene)
          put({ service: routed('c') })(scene)
        },
        'the "image" of the ingress': scene => {
          heal(scene)
          return scene.configure({ ingress: ingressConfig({ image: 'caddy:2.10' }) })
        },
      },
    },
    {
      code: 'job-failed',
      hint: 'Read its output in "tallyman show". Then deploy another image; or correct whatever it depends on, and run "tallyman retry", or "tallyman apply --retry" where no daemon runs.',
      wrong: releaseFails('run-to-end', deployFailed, { service: pallet }),
      follow: {
        'Then deploy another image': scene => {
          heal(scene)
          put({ tag: '3', service: pallet })(scene)
        },
        'correct whatever it depends on, and run "tallyman retry"': async scene => {
          await scene.pass()
          heal(scene)
          await retry(scene)
        },
      },
      says: ['Read its output in "tallyman show"', '"tallyman apply --retry" where no daemon runs'],
    },
    {
      code: 'job-failed',
      hint: 'The new version serves, and the hook does not run again by itself. Do its work by hand, or release another version. "tallyman retry", or "tallyman apply --retry" where no daemon runs, stops this message.',
      wrong: releaseFails('run-to-end', 'job-failed', { strategy: recreated('post') }),
      follow: {
        'release another version': corrected,
        '"tallyman retry"': async scene => {
          heal(scene)
          await retry(scene)
        },
      },
      says: [
        'The new version serves, and the hook does not run again by itself',
        'Do its work by hand',
        '"tallyman apply --retry" where no daemon runs, stops this message',
      ],
    },
  ]),
]
