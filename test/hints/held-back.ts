import type { ErrorCode } from '../../lib/errors/catalogue.ts'
import type { Step } from '../../lib/plan/step/step.ts'
import { identity } from '../support/builders/builders.ts'
import {
  type App,
  aloneOf,
  appOf,
  corrected,
  failing,
  heal,
  planOf,
  published,
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
import { type FollowedHint, followedIn, type Row } from './followed.ts'

/** A release that fails, and is judged. */
function failed(code: ErrorCode, verb: Step['do'], app: App): (scene: Scene) => Promise<void> {
  return async scene => {
    releaseFails(verb, code, app)(scene)
    await scene.pass()
    heal(scene)
  }
}

/** A mid hook failed, so that nothing serves; `again` is what that word does. */
function lost(word: string, again: (scene: Scene) => unknown): Row<Scene> {
  return {
    code: 'not-restored',
    wrong: releaseFails('run-to-end', 'job-failed', { strategy: recreated('mid') }),
    follow: {
      'Commit a correction': scene => {
        heal(scene)
        put({ tag: '2', strategy: recreated('mid', 'other') })(scene)
      },
      [`run "${word}"`]: async scene => {
        heal(scene)
        await again(scene)
      },
      'revert the commit': put({}),
    },
    says: ['To serve the old version, make sure that it can work with the data as the hook left them, and'],
  }
}

/** What is left alone for now. */
export const heldBack: readonly FollowedHint[] = [
  ...followedIn(withDaemon, [
    {
      code: 'suspended',
      wrong: async scene => {
        await scene.ask('POST /api/v1/suspend', { reason: 'stocktaking' })
        scene.commit(appOf({ tag: '2' }))
      },
      follow: { 'Run "tallyman resume"': scene => scene.ask('POST /api/v1/resume') },
      says: ['when it may go on'],
    },
    {
      code: 'already-suspended',
      wrong: async scene => {
        await scene.ask('POST /api/v1/suspend', { reason: 'stocktaking' })
        await scene.ask('POST /api/v1/suspend', { reason: 'holidays' })
      },
      follow: {
        'Keep that suspension': () => undefined,
        'use --replace to put your reason and time in its place': scene =>
          scene.ask('POST /api/v1/suspend', { reason: 'holidays', replace: true }),
      },
    },
    {
      code: 'empty-desired-state',
      wrong: put(),
      follow: {
        'Revert the commit': put({}),
        'If you want an empty environment, remove the containers by hand': async scene => {
          for (const container of scene.engine.has().containers.keys())
            await scene.engine.execute({ do: 'remove-container', container }, provenance, signal)
        },
      },
      says: ['or correct what the message names'],
    },
    {
      code: 'empty-desired-state',
      wrong: scene => {
        const { 'applications/api.yaml': _, ...others } = appOf({ name: 'api' })
        scene.commit(others)
      },
      follow: { 'correct what the message names': put({}, { name: 'api' }) },
      says: ['Revert the commit', 'If you want an empty environment, remove the containers by hand'],
    },
    {
      code: 'prune-never',
      wrong: async scene => {
        await scene.configure({ prune: 'never' })
        put({}, { name: 'api' })(scene)
        await scene.pass()
        put({})(scene)
      },
      follow: {
        'Set "prune: confirm" to be asked for its removal': scene => scene.configure({ prune: 'confirm' }),
      },
    },
    {
      code: 'drift-reported',
      wrong: async scene => {
        await scene.configure({ drift: 'report' })
        await stopAll(scene)
      },
      follow: { 'Set "drift: repair" to have it repaired': scene => scene.configure({ drift: 'repair' }) },
    },
    {
      code: 'quarantined',
      wrong: failed('unhealthy', 'await-healthy', {}),
      follow: {
        'Commit a correction': corrected,
        'run "tallyman retry" to try the same release again': retry,
      },
    },
    {
      code: 'barred',
      wrong: failed('job-failed', 'run-to-end', { service: { pallet: { domain: 'shop.example.com' } } }),
      follow: {
        'Deploy another version': corrected,
        'run "tallyman retry" to run the deploy phase of this one again': retry,
      },
    },
    lost('tallyman retry', retry),
    {
      code: 'no-upgrade-path',
      wrong: async scene => {
        put({ version: '1.0.0', tag: '2' })(scene)
        await scene.pass()
        put({ version: '3.0.0', tag: '4', more: upgradeFrom('^2') })(scene)
      },
      follow: {
        'Deploy a version between the two first': async scene => {
          put({ version: '2.0.0', tag: '3', more: upgradeFrom('^1') })(scene)
          await scene.pass()
          put({ version: '3.0.0', tag: '4', more: upgradeFrom('^2') })(scene)
        },
        'add an entry whose version-regexp matches what runs': put({
          version: '3.0.0',
          tag: '4',
          more: upgradeFrom('^1'),
        }),
      },
    },
    {
      code: 'dependency-held',
      wrong: async scene => {
        scene.fault = failing('await-healthy', 'unhealthy', 'prod.db')
        put({ tag: '2', requires: { db: '*' } }, { name: 'db', tag: '2' })(scene)
        await scene.pass()
        heal(scene)
      },
      follow: { 'Read why the other application is held or blocked': retry },
    },
    {
      code: 'claim-held',
      wrong: async scene => {
        put({ service: published(8080) }, { name: 'api', service: published(8081) })(scene)
        await scene.pass()
        await scene.pass()
        put({ service: published(8081) }, { name: 'api', service: published(8080) })(scene)
      },
      follow: {
        'To exchange ports between services, use two commits: give one of them another port first':
          async scene => {
            put({ service: published(8082) }, { name: 'api', service: published(8080) })(scene)
            await scene.pass()
            await scene.pass()
            put({ service: published(8081) }, { name: 'api', service: published(8080) })(scene)
          },
      },
      says: ['Read why the other service is held'],
    },
    {
      code: 'removal-first',
      wrong: async scene => {
        put({ service: published(8080) })(scene)
        await scene.pass()
        await scene.pass()
        put({ name: 'api', service: published(8080) })(scene)
      },
      follow: {
        'Confirm the removal as well': scene =>
          scene.ask(`POST /api/v1/plans/${planOf(scene)}/approve`, { who: 'ann' }),
      },
    },
    {
      code: 'specification-gone',
      wrong: ({ commit }) =>
        commit({
          'environments/prod/manifest.json':
            '{"services": [{"name": "web", "containers": [{"dockerTag": "2"}]}], "skipConfirmation": true}',
        }),
      follow: {
        'Restore the specification': put({}),
        'If you removed it on purpose, confirm the change as you confirm a removal': async scene => {
          await scene.ask(`POST /api/v1/plans/${planOf(scene)}/approve`, { who: 'ann' })
          await scene.pass()
        },
      },
    },
    {
      code: 'not-converging',
      wrong: async scene => {
        scene.answers = { execute: async () => undefined }
        put({ tag: '2' })(scene)
        await scene.pass()
        await scene.pass()
      },
      follow: {
        'Look for another tool that manages these containers; then run "tallyman retry"': async scene => {
          scene.answers = {}
          await retry(scene)
        },
      },
    },
  ]),
  ...followedIn(withoutDaemon, [
    {
      code: 'quarantined',
      hint: aloneOf('quarantined'),
      wrong: failed('unhealthy', 'await-healthy', {}),
      follow: {
        'Commit a correction': corrected,
        'run "tallyman apply --retry" to try the same release again': retryAlone,
      },
    },
    {
      code: 'barred',
      hint: aloneOf('barred'),
      wrong: failed('job-failed', 'run-to-end', { service: { pallet: { domain: 'shop.example.com' } } }),
      follow: {
        'Deploy another version': corrected,
        'run "tallyman apply --retry" to run the deploy phase of this one again': retryAlone,
      },
    },
    { ...lost('tallyman apply --retry', retryAlone), hint: aloneOf('not-restored') },
    {
      code: 'not-converging',
      hint: aloneOf('not-converging'),
      wrong: async scene => {
        scene.answers = { execute: async () => undefined }
        put({ tag: '2' })(scene)
        await scene.pass()
        await scene.pass()
      },
      follow: {
        'Look for another tool that manages these containers; then run "tallyman apply --retry"':
          async scene => {
            scene.answers = {}
            await retryAlone(scene)
          },
      },
    },
    {
      code: 'interrupted',
      wrong: scene => {
        scene.answers = { observe: rejecting('interrupted') }
      },
      follow: {
        'Run it again': scene => {
          scene.answers = {}
        },
      },
      says: ['tallyman plans again what is left'],
    },
  ]),
]

const { signal } = new AbortController()
const provenance = { ...identity('prod'), commit: '' }

function upgradeFrom(pattern: string): object {
  return { 'upgrade-from': [{ 'version-regexp': pattern, method: 'stop-and-restart' }] }
}

async function stopAll({ engine }: Scene): Promise<void> {
  for (const container of engine.has().containers.keys())
    await engine.execute({ do: 'stop-container', container }, provenance, signal)
}
