import { expect } from 'chai'
import { everyImage, manifestOf, memoryDaemon } from '../../support/memory/memory-daemon.ts'
import {
  type MemoryEngine,
  memoryEngine,
  runningOn,
  silentAtTimes,
} from '../../support/memory/memory-engine.ts'

const skipConfirmation = { skipConfirmation: true }

describe('an approval of a removal', () => {
  it('D3 D4 is not taken while a newer commit that wants the service again is carried out', async () => {
    const said: string[] = []
    const engine = memoryEngine({ distribution: everyImage })
    let whileItRuns = async () => {}
    await using scene = await withOld({
      ...engine,
      async execute(step, ...more) {
        if (step.do === 'create-container') await whileItRuns()
        return engine.execute(step, ...more)
      },
    })
    const { daemon, removal } = scene
    whileItRuns = async () => {
      whileItRuns = async () => {}
      const answer = await daemon
        .ask(`POST /api/v1/plans/${removal}/approve`)
        .catch((error: Error) => error.message)
      said.push(String(answer))
    }
    daemon.commit(manifestOf('prod', { web: '1', old: '2' }, skipConfirmation), '3'.repeat(40))
    await daemon.pass()
    expect(said).to.have.length(1)
    expect(said[0]).to.include(
      `plan ${removal} does not wait for an answer; no plan waits; a rollout of prod is under way`,
    )
    expect(runningOn(engine).toSorted()).to.deep.equal(['old:2', 'web:1'])
  })

  it('D3 X18 lapses once the service is wanted again, and the next removal asks', async () => {
    const engine = silentAtTimes(memoryEngine({ distribution: everyImage }))
    await using scene = await withOld(engine)
    const { daemon, removal } = scene
    engine.isSilent = true
    await daemon.ask(`POST /api/v1/plans/${removal}/approve`)
    daemon.commit(manifestOf('prod', { web: '1', old: '1' }, skipConfirmation), '3'.repeat(40))
    engine.isSilent = false
    await daemon.pass()
    expect(runningOn(engine).toSorted()).to.deep.equal(['old:1', 'web:1'])
    daemon.commit(manifestOf('prod', { web: '1' }, skipConfirmation), '4'.repeat(40))
    await daemon.pass()
    expect(runningOn(engine).toSorted(), 'nobody was asked').to.deep.equal(['old:1', 'web:1'])
    const [{ waiting }] = await daemon.ask('GET /api/v1/environments')
    await daemon.ask(`POST /api/v1/plans/${waiting.plan}/approve`)
    await daemon.pass()
    expect(runningOn(engine).toSorted()).to.deep.equal(['web:1'])
  })
})

/** A daemon that runs `web` and `old`, of which a newer commit wants only `web`: the removal waits. */
async function withOld(engine: MemoryEngine) {
  const daemon = await memoryDaemon({
    environments: ['prod'],
    files: manifestOf('prod', { web: '1', old: '1' }, skipConfirmation),
    engines: [engine],
  })
  await daemon.pass()
  daemon.commit(manifestOf('prod', { web: '1' }, skipConfirmation))
  await daemon.pass()
  const [{ waiting }] = await daemon.ask('GET /api/v1/environments')
  return { daemon, removal: String(waiting.plan), [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose]() }
}
