import { expect } from 'chai'
import {
  createDeployLocks,
  type DeployLock,
  type DeployLocks,
} from '../../../../lib/reconcile/concurrency/deploy-locks.ts'

const never = new AbortController().signal

/** Asks for a lock on a site. Returns it once it is there, and for which sites it waited. */
function asked(locks: DeployLocks, site: string, version: string, signal = never, application = 'blog') {
  const waited: string[] = []
  const own: { lock?: DeployLock; waited: string[]; failure?: unknown } = { waited }
  const deploy = { site, application, version, container: `prod.web.deploy.${version}` }
  const done = locks.enter(deploy, other => waited.push(other), signal)
  done.then(
    lock => Object.assign(own, { lock }),
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
    const locks = createDeployLocks()
    const [a, b, c] = [asked(locks, 'a', '1'), asked(locks, 'b', '1'), asked(locks, 'c', '2')]
    await told()
    expect([a.lock, b.lock, c.lock].map(lock => lock !== undefined)).to.deep.equal([true, true, false])
    a.lock?.over()
    await told()
    expect([c.lock, c.waited]).to.deep.equal([undefined, ['a', 'b']])
    b.lock?.over()
    await told()
    expect(c.lock === undefined).to.equal(false)
  })

  it('P5 wait for no other application, and for nothing on their own site', async () => {
    const locks = createDeployLocks()
    asked(locks, 'a', '1')
    const other = asked(locks, 'b', '2', never, 'shop')
    const here = asked(locks, 'a', '2')
    await told()
    expect([other.lock, here.lock].map(lock => lock === undefined)).to.deep.equal([false, false])
  })

  it('P5 go in the order in which they came, so that a later version waits no longer than for those before it', async () => {
    const locks = createDeployLocks()
    const first = asked(locks, 'a', '1')
    await told()
    const [second, late] = [asked(locks, 'b', '2'), asked(locks, 'c', '1')]
    await told()
    expect([second.lock, late.lock]).to.deep.equal([undefined, undefined])
    first.lock?.over()
    await told()
    expect([second.lock === undefined, late.lock]).to.deep.equal([false, undefined])
  })

  it('P5 P7 are waited for also where nobody waits for their end on their own site, until it has come', async () => {
    const locks = createDeployLocks()
    const first = asked(locks, 'a', '1')
    await told()
    first.lock?.[Symbol.dispose]()
    const second = asked(locks, 'b', '2')
    locks.seen('a', up)
    await told()
    expect(second.lock).to.equal(undefined)
    locks.seen('a', [])
    await told()
    expect(second.lock === undefined).to.equal(false)
  })

  it('P5 P7 are known from what runs after a start of Tallyman, and over once their end was waited for', async () => {
    const locks = createDeployLocks()
    locks.seen('a', up)
    const second = asked(locks, 'b', '2')
    await told()
    expect([second.lock, second.waited]).to.deep.equal([undefined, ['a']])
    locks.ended('a', 'blog')
    await told()
    expect(second.lock === undefined).to.equal(false)
  })

  it('P5 P7 go on everywhere after a start of Tallyman, where they are of one version', async () => {
    const locks = createDeployLocks()
    for (const site of ['a', 'b']) locks.seen(site, up)
    const [a, b] = [asked(locks, 'a', '1'), asked(locks, 'b', '1')]
    await told()
    expect([a, b].map(({ lock, waited }) => [lock === undefined, waited])).to.deep.equal([
      [false, []],
      [false, []],
    ])
  })

  it('P5 do not wait for one another after a start of Tallyman, where something else is wanted by then', async () => {
    const locks = createDeployLocks()
    for (const site of ['a', 'b']) locks.seen(site, up)
    locks.ended('a', 'blog')
    const [a, b] = [asked(locks, 'a', '2'), asked(locks, 'b', '2')]
    await told()
    expect([a, b].map(({ lock }) => lock === undefined)).to.deep.equal([false, false])
  })

  it('G17 are held up by no site that is gone, though what was under way there ends only after that', async () => {
    const locks = createDeployLocks()
    const first = asked(locks, 'a', '1')
    await told()
    const second = asked(locks, 'b', '2')
    locks.gone('a')
    first.lock?.[Symbol.dispose]()
    await told()
    expect(second.lock === undefined).to.equal(false)
  })

  it('P5 are told of no wait that is over', async () => {
    const locks = createDeployLocks()
    const first = asked(locks, 'a', '1')
    await told()
    const others = [asked(locks, 'b', '2'), asked(locks, 'c', '2'), asked(locks, 'd', '3')]
    first.lock?.over()
    await told()
    expect(others.map(({ waited }) => waited)).to.deep.equal([['a'], ['a'], ['a', 'b']])
  })

  it('G17 are held up by no site that does not answer, and give way once they are not waited for', async () => {
    const locks = createDeployLocks()
    locks.seen('a', up)
    const ending = new AbortController()
    const [second, third] = [asked(locks, 'b', '2', ending.signal), asked(locks, 'c', '3')]
    ending.abort('another commit')
    await told()
    expect([second.lock, second.failure]).to.deep.equal([undefined, 'another commit'])
    locks.forget('a')
    await told()
    expect(third.lock === undefined).to.equal(false)
  })

  it('G24 go on where what is told of a wait cannot be noted: only that one fails', async () => {
    const locks = createDeployLocks()
    const first = asked(locks, 'a', '1')
    await told()
    const failing = locks
      .enter(
        { site: 'b', application: 'blog', version: '2', container: 'prod.web.deploy.2' },
        () => {
          throw new Error('the disk is full')
        },
        never,
      )
      .catch(error => error)
    const third = asked(locks, 'c', '3')
    first.lock?.over()
    await told()
    expect(String(await failing)).to.equal('Error: the disk is full')
    expect(third.lock === undefined).to.equal(false)
  })
})
