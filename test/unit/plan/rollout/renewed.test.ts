import { expect } from 'chai'
import type { DesiredState } from '../../../../lib/state/application/desired.ts'
import { mapContainers } from '../../../../lib/state/application/members.ts'
import type { LiveContainer, LiveState } from '../../../../lib/state/running/live.ts'
import { desired, digest, live } from '../../../support/builders/builders.ts'
import { courseOf, onlyChange, planOf, told } from '../../../support/builders/planning.ts'
import { app, builtPod, pod } from '../../spec/pod/built-pod.ts'

/** A pod of two apps. `main` mounts a directory of the host. */
function worker(): DesiredState {
  const mounts = [{ volume: 'data', path: '/data' }]
  const volumes = [{ name: 'data', kind: 'host', source: '/srv/data' }]
  const manifest = pod({ apps: [app({ mounts }), app({ name: 'other' })], volumes })
  const { application } = builtPod(manifest, { metadata: 'off', policy: { hostMounts: ['/srv'] } })
  if (application === undefined) throw new Error('it was not built')
  return desired(
    mapContainers(application, container => ({
      ...container,
      image: { ...container.image, pin: { state: 'pinned', digest: digest('1') } },
    })),
  )
}

const state = worker()
const there = live(state)

/** Some of its containers, by their names in the pod, as they are now. */
function having(now: Readonly<Record<string, Partial<LiveContainer>>>): LiveState {
  return { ...there, containers: there.containers.map(one => ({ ...one, ...now[one.container] })) }
}

const stopped = { state: 'exited', exitCode: 137 } as const

/** What is prepared, and what is done. */
function way(from: LiveState): readonly string[] {
  const change = onlyChange(planOf({ desired: state, live: from, applied: state }))
  const prepared = told([change.prepare], there).map(text => `prepare: ${text}`)
  return [...prepared, ...told(courseOf(change), there)]
    .filter(text => text !== 'prepare: ')
    .map(text => text.replaceAll('@reg.example.com/team/main', ''))
}

const course = (from: LiveState) => way(from).filter(text => !text.startsWith('prepare: '))

describe('an app of a pod that is started again', () => {
  it('C50 G1 is made anew where it was stopped, once everything that it needs is there', () => {
    expect(way(having({ main: stopped }))).to.deep.equal([
      'prepare: pull-image reg.example.com/team/main@sha256:1…, check-image reg.example.com/team/main, check-host-path /srv/data',
      'remove-container worker.1.main',
      'create-container worker.1.main',
      'start-container worker.1.main',
      'await-healthy worker.1, worker.1.main, worker.1.other',
    ])
  })

  it('C50 X5 is made anew with all others where its sandbox has died, also if it had run to its end', () => {
    const dead = having({ sandbox: stopped, main: stopped, other: { state: 'exited', isDone: true } })
    expect(course(dead)).to.deep.equal([
      'remove-container worker.1.main, worker.1.other',
      'create-container worker.1.main, worker.1.other',
      'start-container worker.1',
      'start-container worker.1.main, worker.1.other',
      'await-healthy worker.1, worker.1.main',
    ])
  })

  it('C50 X5 is stopped first where its sandbox was started without it', () => {
    expect(course(having({ main: { isCutOff: true } }))).to.deep.equal([
      'stop-container worker.1.main, worker.1.other',
      'remove-container worker.1.main, worker.1.other',
      'create-container worker.1.main, worker.1.other',
      'start-container worker.1',
      'start-container worker.1.main, worker.1.other',
      'await-healthy worker.1, worker.1.main, worker.1.other',
    ])
  })

  const alone: Readonly<Record<string, Readonly<Record<string, Partial<LiveContainer>>>>> = {
    'it was created and never started': { main: { state: 'created' } },
    'neither it nor its sandbox was ever started': {
      sandbox: { state: 'created' },
      main: { state: 'created' },
      other: { state: 'created' },
    },
    'it was only paused': { main: { state: 'paused' } },
    'only its sandbox is detached': { sandbox: { networks: [] } },
  }
  for (const [what, now] of Object.entries(alone))
    it(`C50 is not made anew where ${what}`, () => {
      expect(way(having(now)).filter(text => /remove-|pull-/.test(text))).to.deep.equal([])
    })

  it('C50 X5 is left alone where it has run to its end and another one is started again', () => {
    const steps = way(having({ main: stopped, other: { state: 'exited', exitCode: 0, isDone: true } }))
    expect(steps.filter(text => text.includes('worker.1.other'))).to.deep.equal([])
  })

  it('C50 G15 goes on from where a crash left it: made anew, maybe not completely, and not started', () => {
    expect(way(having({ main: { state: 'created' } }))).to.deep.equal([
      'create-container worker.1.main',
      'start-container worker.1.main',
      'await-healthy worker.1, worker.1.main, worker.1.other',
    ])
  })
})
