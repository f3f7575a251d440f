import { expect } from 'chai'
import {
  createDeployTurns,
  type DeployTurn,
  type DeployTurns,
} from '../../../../lib/reconcile/turns/deploy-turns.ts'

const never = new AbortController().signal

/** Asks for a turn on a site. Returns it once it is there, and for which sites it waited. */
function asked(turns: DeployTurns, site: string, version: string, signal = never, application = 'blog') {
  const waited: string[] = []
  const own: { turn?: DeployTurn; waited: string[]; failure?: unknown } = { waited }
  const deploy = { site, application, version, container: `prod.web.deploy.${version}` }
  const done = turns.enter(deploy, other => waited.push(other), signal)
  done.then(
    turn => Object.assign(own, { turn }),
    failure => Object.assign(own, { failure }),
  )
  return own
}

/** Lets everything that was resolved be told. */
const told = () => new Promise(resolve => setImmediate(resolve))

/** The containers that deploy version 1. */
const up = [{ application: 'blog', container: 'prod.web.deploy.1' }]

describe('the deploys of an application on several sites', () => {
  it('P5 run at the same time where they are of one version, and one after the other where they are of two', async () => {
    const turns = createDeployTurns()
    const [a, b, c] = [asked(turns, 'a', '1'), asked(turns, 'b', '1'), asked(turns, 'c', '2')]
    await told()
    expect([a.turn, b.turn, c.turn].map(turn => turn !== undefined)).to.deep.equal([true, true, false])
    a.turn?.over()
    await told()
    expect([c.turn, c.waited]).to.deep.equal([undefined, ['a', 'b']])
    b.turn?.over()
    await told()
    expect(c.turn === undefined).to.equal(false)
  })

  it('P5 wait for no other application, and for nothing on their own site', async () => {
    const turns = createDeployTurns()
    asked(turns, 'a', '1')
    const other = asked(turns, 'b', '2', never, 'shop')
    const here = asked(turns, 'a', '2')
    await told()
    expect([other.turn, here.turn].map(turn => turn === undefined)).to.deep.equal([false, false])
  })

  it('P5 go in the order in which they came, so that a later version waits no longer than for those before it', async () => {
    const turns = createDeployTurns()
    const first = asked(turns, 'a', '1')
    await told()
    const [second, late] = [asked(turns, 'b', '2'), asked(turns, 'c', '1')]
    await told()
    expect([second.turn, late.turn]).to.deep.equal([undefined, undefined])
    first.turn?.over()
    await told()
    expect([second.turn === undefined, late.turn]).to.deep.equal([false, undefined])
  })

  it('P5 P7 are waited for also where nobody waits for their end on their own site, until it has come', async () => {
    const turns = createDeployTurns()
    const first = asked(turns, 'a', '1')
    await told()
    first.turn?.leave()
    const second = asked(turns, 'b', '2')
    turns.seen('a', up)
    await told()
    expect(second.turn).to.equal(undefined)
    turns.seen('a', [])
    await told()
    expect(second.turn === undefined).to.equal(false)
  })

  it('P5 P7 are known from what runs after a start of Tallyman, and over once their end was waited for', async () => {
    const turns = createDeployTurns()
    turns.seen('a', up)
    const second = asked(turns, 'b', '2')
    await told()
    expect([second.turn, second.waited]).to.deep.equal([undefined, ['a']])
    turns.ended('a', 'blog')
    await told()
    expect(second.turn === undefined).to.equal(false)
  })

  it('P5 P7 go on everywhere after a start of Tallyman, where they are of one version', async () => {
    const turns = createDeployTurns()
    for (const site of ['a', 'b']) turns.seen(site, up)
    const [a, b] = [asked(turns, 'a', '1'), asked(turns, 'b', '1')]
    await told()
    expect([a, b].map(({ turn, waited }) => [turn === undefined, waited])).to.deep.equal([
      [false, []],
      [false, []],
    ])
  })

  it('P5 do not wait for one another after a start of Tallyman, where something else is wanted by then', async () => {
    const turns = createDeployTurns()
    for (const site of ['a', 'b']) turns.seen(site, up)
    turns.ended('a', 'blog')
    const [a, b] = [asked(turns, 'a', '2'), asked(turns, 'b', '2')]
    await told()
    expect([a, b].map(({ turn }) => turn === undefined)).to.deep.equal([false, false])
  })

  it('G17 are held up by no site that is gone, though what was under way there ends only after that', async () => {
    const turns = createDeployTurns()
    const first = asked(turns, 'a', '1')
    await told()
    const second = asked(turns, 'b', '2')
    turns.gone('a')
    first.turn?.leave()
    await told()
    expect(second.turn === undefined).to.equal(false)
  })

  it('P5 are told of no wait that is over', async () => {
    const turns = createDeployTurns()
    const first = asked(turns, 'a', '1')
    await told()
    const others = [asked(turns, 'b', '2'), asked(turns, 'c', '2'), asked(turns, 'd', '3')]
    first.turn?.over()
    await told()
    expect(others.map(({ waited }) => waited)).to.deep.equal([['a'], ['a'], ['a', 'b']])
  })

  it('G17 are held up by no site that does not answer, and give way once they are not waited for', async () => {
    const turns = createDeployTurns()
    turns.seen('a', up)
    const ending = new AbortController()
    const [second, third] = [asked(turns, 'b', '2', ending.signal), asked(turns, 'c', '3')]
    ending.abort('another commit')
    await told()
    expect([second.turn, second.failure]).to.deep.equal([undefined, 'another commit'])
    turns.forget('a')
    await told()
    expect(third.turn === undefined).to.equal(false)
  })
})
