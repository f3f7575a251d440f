import { expect } from 'chai'
import type { Client } from '../../../../lib/docker/api/client.ts'
import type { EngineAnswer, EngineRequest } from '../../../../lib/docker/api/connection/dial.ts'
import { Failure } from '../../../../lib/errors.ts'
import { asOne } from '../../../../lib/swarm/api/managers.ts'

const { signal } = new AbortController()

/** Managers that answer with their numbers, and which of them were asked. `other`: of another Swarm. */
function managers(
  ...answers: readonly ('up' | 'lost' | 'worker' | 'refuses' | 'other' | 'cut off' | 'leaderless')[]
) {
  const asked: number[] = []
  let nowMs = 0
  const wait = (ms: number) => {
    nowMs += ms
  }
  const now = [...answers]
  const clients = answers.map((_, number) => ({
    site: 'cluster',
    call: async ({ path }: EngineRequest): Promise<EngineAnswer<unknown>> => {
      if (path === '/swarm' && (now[number] === 'up' || now[number] === 'other'))
        return { ok: true, body: { ID: now[number] } }
      if (path !== '/swarm') asked.push(number)
      if (now[number] === 'lost') throw new Failure('engine-unreachable', 'nobody answers')
      if (now[number] === 'worker')
        return { ok: false, status: 503, message: 'This node is not a swarm manager. Worker nodes cannot.' }
      if (now[number] === 'cut off')
        return {
          ok: false,
          status: 500,
          message: 'rpc error: code = DeadlineExceeded desc = context deadline',
        }
      if (now[number] === 'leaderless')
        return {
          ok: false,
          status: 500,
          message: 'rpc error: code = Unknown desc = The swarm does not have a leader.',
        }
      if (now[number] === 'refuses') return { ok: false, status: 409, message: 'conflict' }
      return { ok: true, body: number }
    },
  })) as unknown as [Client, ...Client[]]
  const one = asOne(
    clients,
    answers.map((_, number) => `ssh://user:word@n${number + 1}`),
    () => nowMs,
  )
  const ask = async (method: EngineRequest['method'], more: Partial<EngineRequest> = {}) => {
    asked.length = 0
    const answer = await one
      .call({ method, path: '/services', ...more }, signal)
      .catch(error => (error instanceof Failure ? error.code : 'other'))
    return { answer, asked: [...asked] }
  }
  const why = (method: EngineRequest['method'] = 'GET') =>
    one.call({ method, path: '/services' }, signal).then(
      () => 'none',
      (error: Failure) => `${error.code}: ${error.message}`,
    )
  return { ask, wait, why, now, seen: one.seen }
}

describe('the managers of a Swarm', () => {
  it('G17 are asked one after the other, and the one that answered is asked first from then on', async () => {
    const { ask, now } = managers('lost', 'worker', 'up')
    expect((await ask('GET')).asked).to.deep.equal([1, 2])
    expect(await ask('GET')).to.deep.equal({ answer: { ok: true, body: 2 }, asked: [2] })
    now[2] = 'lost'
    now[0] = 'up'
    expect((await ask('GET')).asked).to.deep.equal([2, 0])
  })

  it('D18 do not repeat what may have begun, but the next call goes to another one', async () => {
    const { ask, now } = managers('up', 'up')
    await ask('POST')
    now[0] = 'lost'
    expect(await ask('POST')).to.deep.equal({ answer: 'engine-unreachable', asked: [0] })
    expect((await ask('POST')).asked).to.deep.equal([1])
  })

  it('D18 repeat what an engine refused because it is no manager', async () => {
    expect((await managers('worker', 'up').ask('POST')).asked).to.deep.equal([0, 1])
  })

  it('D17 D18 are asked in place of one that is cut off from its leader, which may have done what it was told', async () => {
    const { ask } = managers('cut off', 'up')
    expect(await ask('GET')).to.deep.equal({ answer: { ok: true, body: 1 }, asked: [0, 1] })
    const writing = managers('cut off', 'up')
    expect((await writing.ask('POST')).answer).to.deep.include({ ok: false, status: 500 })
    expect((await writing.ask('GET')).asked).to.deep.equal([1])
    expect((await managers('cut off').ask('GET')).answer).to.deep.include({ ok: false, status: 500 })
  })

  it('D17 G17 are asked in place of one that has no leader, whatever they are told, for nothing was done', async () => {
    expect((await managers('leaderless', 'up').ask('GET')).asked).to.deep.equal([0, 1])
    expect((await managers('leaderless', 'up').ask('POST')).asked).to.deep.equal([0, 1])
  })

  it('D15 G17 are not asked one after the other for what a registry says, which may be anything', async () => {
    const toRegistry = { path: '/distribution/web:1/json', asksRegistry: true } as const
    for (const words of ['cut off', 'leaderless'] as const) {
      const { ask } = managers(words, words)
      const { answer, asked } = await ask('GET', toRegistry)
      expect(answer).to.deep.include({ ok: false, status: 500 })
      expect(asked).to.deep.equal([0])
    }
  })

  it('G16 have the certificates of the site also where the first of them is reached over a socket', () => {
    const tls = { ca: '/ca', cert: '/cert', key: '/key' }
    const [socket, far] = [{ site: 'cluster' }, { site: 'cluster', tls }] as unknown as [Client, Client]
    expect(asOne([socket, far]).tls).to.equal(tls)
    expect(asOne([socket, socket]).tls).to.equal(undefined)
  })

  it('keep to one that refuses for any other reason', async () => {
    expect((await managers('refuses', 'up').ask('POST')).asked).to.deep.equal([0])
  })

  it('G13 G17 say of each of them why, in the same words whichever is asked first, if none can be asked', async () => {
    expect(await managers('lost', 'lost').why()).to.equal(
      'engine-unreachable: cluster: none of its managers can be asked: ssh://***@n1: nobody answers; ssh://***@n2: nobody answers',
    )
    const { why } = managers('lost', 'leaderless', 'worker')
    const all = [
      'ssh://***@n1: nobody answers',
      'ssh://***@n2: its Swarm has no leader: most of its managers do not answer',
      'ssh://***@n3: it is a worker of a Swarm, and only a manager can be asked',
    ]
    const words = `swarm-unavailable: cluster: none of its managers can be asked: ${all.join('; ')}`
    expect([await why(), await why(), await why()]).to.deep.equal([words, words, words])
  })

  it('D18 fail with what the one says that may have begun it', async () => {
    expect(await managers('worker', 'lost', 'up').why()).to.equal('none')
    const { ask, now, why } = managers('up', 'worker')
    await ask('POST')
    now[0] = 'lost'
    expect(await why('POST')).to.equal('engine-unreachable: nobody answers')
  })

  it('G4 are those of one Swarm: one of another is never asked, for there nothing of ours would be there', async () => {
    const { ask, wait, now } = managers('up', 'other', 'up')
    expect((await ask('GET')).asked).to.deep.equal([0])
    now[0] = 'lost'
    expect((await ask('GET')).asked).to.deep.equal([0, 2])
    now[0] = 'up'
    now[2] = 'other'
    wait(999)
    expect((await ask('POST')).asked, 'it said who it is less than a second ago').to.deep.equal([2])
    wait(1)
    expect((await ask('POST')).asked, 'it left, and began another one').to.deep.equal([0])
    now[0] = 'worker'
    expect(await ask('POST')).to.deep.equal({ answer: 'swarm-unavailable', asked: [0] })
    now[0] = 'other'
    expect(await ask('GET'), 'it was none in between').to.deep.equal({
      ...{ answer: 'swarm-unavailable', asked: [] },
    })
    now[0] = 'up'
    expect(await ask('GET')).to.deep.equal({ answer: { ok: true, body: 0 }, asked: [0] })
  })

  it('G3 cost a single one no question of who it is', async () => {
    expect((await managers('other').ask('GET')).answer).to.deep.equal({ ok: true, body: 0 })
  })

  it('G13 G17 are told with the one that is asked, and why others are not, until they answer as managers again', async () => {
    const worker = 'it is a worker of a Swarm, and only a manager can be asked'
    const { ask, now, seen } = managers('worker', 'lost', 'up')
    expect(seen(), 'none was tried').to.deep.equal([
      { isAsked: false },
      { isAsked: false },
      { isAsked: false },
    ])
    await ask('GET')
    expect(seen()).to.deep.equal([
      { isAsked: false, why: worker },
      { isAsked: false, why: 'nobody answers' },
      { isAsked: true },
    ])
    now[0] = 'other'
    now[1] = 'up'
    now[2] = 'lost'
    await ask('GET')
    expect(seen()).to.deep.equal([
      { isAsked: false, why: 'it is of another Swarm' },
      { isAsked: true },
      { isAsked: false, why: 'nobody answers' },
    ])
    const single = managers('worker')
    await single.ask('GET')
    expect(single.seen()).to.deep.equal([{ isAsked: false, why: worker }])
  })
})
