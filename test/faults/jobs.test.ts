import { expect } from 'chai'
import { engineGet } from '../support/engine/engine-call.ts'
import { execIn } from '../support/engine/exec-in.ts'
import { type ImageOptions, pushImage } from '../support/images/images.ts'
import { type TestMachine, testMachine, uniqueName } from '../support/suite/env.ts'
import { sideBySide } from '../support/suite/side-by-side.ts'
import { waitUntil } from '../support/time/wait-until.ts'
import { type Ground, prepareGround } from './pass/ground.ts'
import { type SimulatedMachine, simulatedMachine } from './pass/simulated.ts'
import { type Scenario, type Side, surviveEvery } from './pass/survive.ts'

/**
 * Killed with SIGKILL before every step, or while a job runs, and started again: each hook and each deploy runs exactly
 * once per rollout (H5, H22), and no version is barred but one whose deploy failed (P6).
 */
describe('a rollout with jobs that is killed', () => {
  const it = sideBySide(2)
  let simulated: SimulatedMachine
  const image = uniqueName('faults')

  before(async () => {
    simulated = await simulatedMachine()
    for (const [tag, env] of Object.entries(images)) simulated.push(image, tag, imageOf(tag, env))
  })

  after(() => simulated[Symbol.asyncDispose]())

  it('H10 H22 P4 at any step of a rolling goes on and runs pre, deploy and post once', async () => {
    const moments = await surviveEvery('step', simulated, {
      ...common,
      before: rolling('1', ['pre 1', 'deploy 1', 'post 1']),
      after: rolling('2', ['pre 2', 'deploy 2', 'post 2']),
      ends: 'done',
      next: 'back and forth',
    })
    expect(namesOf(moments)).to.deep.equal([
      'pull-image',
      'create-container web.pre',
      'create-container web.deploy',
      'create-container web.post',
      'run-to-end web.pre',
      'run-to-end web.deploy',
      'create-container web.1',
      'start-container web.1',
      'await-healthy web.1',
      'stop-container web.1',
      'run-to-end web.post',
      'remove-container web.1',
      'put-away web.pre',
      'put-away web.deploy',
      'put-away web.post',
    ])
  })

  it('H20 H22 H29 at any step of a recreate goes on and runs pre, mid and post once', async () => {
    const moments = await surviveEvery('step', simulated, {
      ...common,
      before: recreate('1', ['pre 1', 'mid 1', 'post 1']),
      after: recreate('2', ['pre 2', 'mid 2', 'post 2']),
      ends: 'done',
      next: 'back and forth',
    })
    expect(namesOf(moments)).to.deep.equal([
      'pull-image',
      'create-container web.pre',
      'create-container web.mid',
      'create-container web.post',
      'run-to-end web.pre',
      'create-container web.1',
      'stop-container web.1',
      'run-to-end web.mid',
      'start-container web.1',
      'await-healthy web.1',
      'run-to-end web.post',
      'remove-container web.1',
      'put-away web.pre',
      'put-away web.mid',
      'put-away web.post',
    ])
  })

  it('P6 H22 at any step of a deploy that fails judges it by its container, once, and bars the version', async () => {
    const moments = await surviveEvery('step', simulated, failing)
    expect(namesOf(moments)).to.deep.equal([
      'pull-image',
      'create-container web.deploy',
      'run-to-end web.deploy',
      'put-away web.deploy',
      'start-container web.1',
      'await-healthy web.1',
      'remove-container web.1',
    ])
  })

  it('P6 before or while the failed deploy is put on record judges it once, and bars the version', async () => {
    const moments = await surviveEvery('verdict', simulated, failing)
    expect(namesOf(moments)).to.deep.equal(['barVersion', 'quarantine'])
  })

  it('H30 A33 at any step of a rollout whose post hook fails runs that once, and shows its failure', async () => {
    await using ground = await prepareGround(simulated)
    const { environment } = ground
    const withPost = (tag: string) => recreate(tag, [], { post: { ...hook('post'), failurePolicy: 'Abort' } })
    const troubles = () =>
      ground.readJournal(journal => journal.troubles(environment).map(({ code }) => code))
    let killed = true
    for (let index = 0; killed; index += 1) {
      await ground.write(withPost('1').manifests)
      expect((await ground.look('apply')).outcome).to.equal('applied')
      await takeNotes(ground)
      await ground.write(withPost('bad').manifests)
      const victim = await ground.crash({ kind: 'step', index, when: 'after' })
      killed = victim.killed
      if (killed) await ground.look('go on')
      expect([await takeNotes(ground), troubles()], victim.out).to.deep.equal([['post bad'], ['job-failed']])
    }
  })

  it('P6 before the success of a retry is put on record does not bar the version again', async () => {
    await using ground = await prepareGround(simulated)
    const { environment } = ground
    const isBarred = () => ground.readJournal(journal => journal.barred(environment).length > 0)
    const { manifests, containers } = pallet('flaky', ['deploy flaky', 'deploy flaky'])
    await ground.write(manifests)
    expect([(await ground.look('apply')).outcome, isBarred()]).to.deep.equal(['rolled-back', true])
    const victim = await ground.crash({ kind: 'verdict', index: 0, when: 'before' }, 'retry')
    expect([victim.killed, victim.out, isBarred()], victim.err).to.deep.equal([true, 'setApplied', false])
    expect((await ground.look('go on')).outcome).to.equal('applied')
    expect([(await ground.containers()).map(({ text }) => text), isBarred()]).to.deep.equal([
      containers,
      false,
    ])
  })

  it('H22 P7 while any of the jobs of a rolling runs finds that again, and runs none twice, on the real engine', async () => {
    const machine = await testMachine()
    for (const tag of ['1', 'slow'] as const)
      await pushImage(machine.registry, image, tag, imageOf(tag, images[tag]))
    await surviveRunning(machine, rolling, ['pre', 'deploy', 'post'])
  })

  it('H22 P7 while any of the jobs of a recreate runs finds that again, and runs none twice', () =>
    surviveRunning(simulated, recreate, ['pre', 'mid', 'post']))

  /** By tag: what makes their jobs differ. */
  const images = { 1: {}, 2: {}, bad: { CODE: '1' }, flaky: { FLAKY: 'yes' }, slow: { NAP: '2' } } as const

  const common = { networks: ['web'], when: ['before'], startedAgain: 'here' } as const
  const failing: Scenario = {
    ...common,
    before: pallet('1', ['deploy 1']),
    after: pallet('bad', ['deploy bad'], 1),
    ends: 'put back',
    held: 'barred',
    next: 'again',
  }

  /** Notes in /storage what it is run for, and ends; `serve` stays up. */
  function imageOf(tag: string, env: Readonly<Record<string, string>>): ImageOptions {
    return {
      entrypoint: ['sh', '/run.sh'],
      env: { TAG: tag, ...env },
      files: {
        '/run.sh': [
          '[ "$1" = serve ] && { trap "exit 0" TERM; sleep 1000000 & wait $!; }',
          'echo "$1 $TAG" >> /storage/notes',
          'sleep "${NAP:-0}"',
          '[ -n "$FLAKY" ] && [ ! -e /storage/tried ] && { touch /storage/tried; exit 1; }',
          'exit "${CODE:-0}"',
        ].join('\n'),
      },
    }
  }

  /** Follows the Pallet contract. */
  function pallet(tag: string, ran: readonly string[], barred = 0, strategy = {}): Side {
    return side(tag, ran, barred, {
      pallet: { domain: 'shop.example.com', environment: 'test' },
      containers: [{ name: 'web', image }],
      strategy: { type: 'RollingUpdate', ...strategy },
    })
  }

  function rolling(tag: string, ran: readonly string[]): Side {
    return pallet(tag, ran, 0, { rollingUpdate: { pre: hook('pre'), post: hook('post') } })
  }

  function recreate(
    tag: string,
    ran: readonly string[],
    hooks: object = { pre: hook('pre'), mid: hook('mid'), post: hook('post') },
  ): Side {
    return side(tag, ran, 0, {
      volumes: [{ name: 'storage', 'persistent-volume': {} }],
      containers: [
        {
          name: 'web',
          image,
          cmd: ['serve'],
          mounts: [{ 'volume-name': 'storage', 'mount-path': '/storage' }],
        },
      ],
      strategy: { type: 'Recreate', recreate: hooks },
    })
  }

  function hook(stage: string): object {
    return { execNewPod: { containerName: 'web', args: [stage], volumes: ['storage'] } }
  }

  function side(tag: string, ran: readonly string[], barred: number, service: object): Side {
    return {
      manifests: {
        services: [{ name: 'web', containers: [{ dockerName: image, dockerTag: tag }] }],
        applications: { web: { services: [{ name: 'web', ...service }] } },
      },
      containers: [`web ${image}:${tag} running`],
      check: async ground => {
        expect(await takeNotes(ground), 'what ran').to.deep.equal(ran)
        expect(ground.readJournal(journal => journal.barred(ground.environment)).length, 'barred').to.equal(
          barred,
        )
      },
    }
  }

  /** What the jobs noted since the last time. */
  async function takeNotes({ socket, containers }: Ground): Promise<readonly string[]> {
    const [running] = await containers()
    if (running === undefined) throw new Error('nothing runs')
    const notes = await execIn(socket, running.id, 'cat /storage/notes; rm -f /storage/notes')
    return notes.trimEnd().split('\n')
  }

  /** What it died before, in order: `before 7 start-container f-1a2b.web.1.c0ffee` is `start-container web.1`. */
  function namesOf(moments: readonly string[]): readonly string[] {
    return moments
      .map(moment => moment.split(' '))
      .sort(([, a], [, b]) => Number(a) - Number(b))
      .map(([, , what, on = '']) => [what, ...(on.match(/web\.\w+/) ?? [])].join(' '))
  }

  async function surviveRunning(
    machine: TestMachine,
    make: (tag: string, ran: readonly string[]) => Side,
    stages: readonly string[],
  ): Promise<void> {
    await using ground = await prepareGround(machine)
    const sideOf = (tag: string) =>
      make(
        tag,
        stages.map(stage => `${stage} ${tag}`),
      )
    const [before, after] = [sideOf('1'), sideOf('slow')] as const
    await ground.write(before.manifests)
    expect((await ground.look('apply')).outcome).to.equal('applied')
    await before.check?.(ground)
    await ground.write(after.manifests)
    for (const stage of stages) {
      const victim = await ground.crash(waitUntil(`${stage} runs`, () => runningJob(ground, stage)))
      expect(victim.killed, victim.err).to.equal(true)
    }
    const run = await ground.tallyman('apply')
    expect(run.code, run.err).to.equal(0)
    await after.check?.(ground)
    expect((await ground.containers()).map(({ text }) => text)).to.deep.equal(after.containers)
  }

  async function runningJob({ socket, environment }: Ground, stage: string): Promise<boolean> {
    const filters = JSON.stringify({ name: [`^/${environment}.web.${stage}.`], status: ['running'] })
    const found = await engineGet(socket, `/containers/json?filters=${encodeURIComponent(filters)}`)
    return Array.isArray(found) && found.length > 0
  }
})
