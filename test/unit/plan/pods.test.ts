import { expect } from 'chai'
import { printed } from '../../../lib/cli/output/printed.ts'
import { statusLines } from '../../../lib/cli/text/status/status-text.ts'
import { describeStep } from '../../../lib/plan/step/describe.ts'
import { planJson } from '../../../lib/plan/text/json.ts'
import { renderPlan } from '../../../lib/plan/text/render.ts'
import { statusOfApplications } from '../../../lib/reconcile/status/application/sync-and-health/status-of-applications.ts'
import type { Application } from '../../../lib/state/application/application.ts'
import { mapContainers } from '../../../lib/state/application/members.ts'
import { desired, digest, live } from '../../support/builders/builders.ts'
import { madeFrom, planOf } from '../../support/builders/planning.ts'
import { app, builtPod, pod } from '../spec/pod/built-pod.ts'

/** An application of a pod manifest, with its images pinned. */
function worker(
  itself: object = {},
  more: object = {},
  around: object = {},
  metadata: 'on' | 'off' = 'off',
): Application {
  const isolators = [
    { name: 'resource/memory', value: { limit: '1G' } },
    { name: 'example.com/own', value: {} },
  ]
  const manifest = pod({ apps: [app(around, { isolators, ...itself })], ...more })
  return pinned(builtPod(manifest, metadata === 'off' ? { metadata } : {}))
}

function pinned({ application }: ReturnType<typeof builtPod>): Application {
  if (application === undefined) throw new Error('it was not built')
  return mapContainers(application, container => ({
    ...container,
    image: { ...container.image, pin: { state: 'pinned', digest: digest('1') } },
  }))
}

const restart = (value: string) => ({ annotations: [{ name: 'tallyman/restart', value }] })

const bounded = { isolators: [{ name: 'resource/memory', value: { limit: '64Mi' } }] }

describe('a pod in a plan', () => {
  const before = desired(worker())
  const after = desired(worker({}, bounded))
  const plan = planOf({
    desired: after,
    live: live(before),
    applied: before,
    specificationOf: madeFrom(before),
  })

  it('C4 C40 is told as it will be, with the outcome of every isolator', () => {
    const { changes } = JSON.parse(JSON.stringify(planJson(plan, true, 'OutOfSync')))
    expect(changes).to.have.length(1)
    const [{ manifest, isolators }] = changes[0].pods
    expect(manifest.acKind).to.equal('PodManifest')
    expect(manifest.apps[0].image.id).to.equal(digest('1').replace(':', '-'))
    expect(isolators).to.deep.equal([
      { isolator: 'resource/memory', outcome: 'enforced' },
      {
        app: 'main',
        isolator: 'resource/memory',
        outcome: 'modified',
        reason: 'the limit of the pod is lower',
      },
      { app: 'main', isolator: 'example.com/own', outcome: 'ignored', reason: 'it is not known' },
    ])
  })

  it('C12 G7 says that its apps get the address of the metadata service, and which of its volumes is where', () => {
    const mountPoints = [{ name: 'work', path: '/work' }]
    const mounted = { mounts: [{ volume: 'work', path: '/work' }] }
    const manifest = pod({
      apps: [app(mounted, { mountPoints })],
      volumes: [{ name: 'work', kind: 'empty' }],
    })
    const wanted = desired(pinned(builtPod(manifest)))
    const text = printed(renderPlan(planOf({ desired: wanted, live: live(desired()) })), false)
    expect(text).to.match(/mounts: ephemeral volume work at \/work/)
    expect(text).to.match(/; \d variables and AC_METADATA_URL\n/)
  })

  it('C40 has the outcomes in its text, and with every detail the manifest', () => {
    const text = (verbose: boolean) => printed(renderPlan(plan, { verbose }), false)
    const outcomes = [
      '        isolators of the pod: resource/memory enforced',
      '        isolators of main: resource/memory modified (the limit of the pod is lower); example.com/own ignored (it is not known)',
    ].join('\n')
    expect(text(false)).to.include(outcomes).and.not.include('PodManifest')
    expect(text(true)).to.include(outcomes).and.include('          "acKind": "PodManifest",')
  })

  const restarts: readonly (readonly [string, object, object, readonly string[] | undefined])[] = [
    ['the engine starts its app again', {}, {}, ['main']],
    ['the engine starts it again on failure', restart('on-failure'), {}, ['main']],
    ['nobody starts it again', restart('never'), {}, undefined],
    ['it can write nothing', {}, { readOnlyRootFS: true }, undefined],
  ]
  for (const [what, ofPod, ofApp, kept] of restarts)
    it(`C50 says whether what an app has written stays: ${what}`, () => {
      const plan = planOf({ desired: desired(worker({}, ofPod, ofApp)), live: live(desired()) })
      const { changes } = JSON.parse(JSON.stringify(planJson(plan, true, 'OutOfSync')))
      const [change] = changes.filter(({ pods }: { readonly pods?: unknown }) => pods !== undefined)
      expect(change.pods[0].keepsFiles).to.deep.equal(kept)
      const text = printed(renderPlan(plan, { verbose: false }), false)
      const line = '        if the engine starts main again, what it has written stays\n'
      expect(text.includes(line)).to.equal(kept !== undefined)
    })

  it('C7 X10 changes nothing that runs by what is only told of it', () => {
    const reworded = desired(worker({}, { annotations: [{ name: 'note', value: 'new' }] }))
    expect(planOf({ desired: reworded, live: live(before), applied: before }).changes).to.deep.equal([])
  })
})

describe('a pod that the metadata service does not know', () => {
  const told = (annotation: string) =>
    desired(worker({}, { annotations: [{ name: 'note', value: annotation }] }, {}, 'on'))
  const wanted = told('a')
  const there = live(wanted)
  const unknown = {
    ...there,
    containers: there.containers.map(one =>
      one.role === 'sandbox'
        ? { ...one, networks: [...one.networks, 'prod.worker.metadata'], isUnregistered: true as const }
        : one,
    ),
  }
  const changesTo = (state: typeof wanted) =>
    planOf({ desired: state, live: unknown, applied: wanted, specificationOf: madeFrom(wanted) }).changes

  it('C53 is made known to it again, and runs on', () => {
    const [change, ...others] = changesTo(wanted)
    expect(others).to.deep.equal([])
    expect(change).to.include({ cause: 'drifted', reason: 'unknown to the metadata service' })
    expect(change?.stages.map(stage => stage.map(describeStep))).to.deep.equal([
      [`register-pod ${unknown.containers.find(({ role }) => role === 'sandbox')?.engineName}`],
    ])
  })

  it('C53 is replaced as any other if its manifest changes', () => {
    const [change] = changesTo(told('b'))
    const names = change?.stages.flat().map(step => step.do)
    expect(names).to.include('create-container').and.not.include('register-pod')
  })
})

describe('a pod in the status', () => {
  const state = desired(worker({}, bounded))
  const applications = statusOfApplications({
    desired: state,
    live: live(state),
    changes: [],
    undecided: [],
    troubles: [],
    loaded: [],
  })

  it('C40 has the outcome of every isolator', () => {
    expect(applications[0]?.isolators?.map(({ outcome }) => outcome)).to.deep.equal([
      'enforced',
      'modified',
      'ignored',
    ])
  })

  it('C40 shows people what is not enforced as it is written', () => {
    const document = {
      environment: 'prod',
      daemon: true,
      sync: 'Synced',
      suspensions: [],
      errors: [],
      ingress: [],
      applications,
    }
    expect(printed(statusLines(document, 0), false)).to.include(
      [
        '  isolator         of           site   outcome   reason',
        '  resource/memory  worker/main  local  modified  the limit of the pod is lower',
        '  example.com/own  worker/main  local  ignored   it is not known',
      ].join('\n'),
    )
  })
})
