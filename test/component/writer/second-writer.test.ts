import { once } from 'node:events'
import { mkdtempDisposableSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { every } from '../../../lib/wait/timer.ts'
import { lookAtHolders, type Sight } from '../../../lib/writer/socket-holders.ts'
import { createWriter, type Writer } from '../../../lib/writer.ts'
import { identity } from '../../support/builders/builders.ts'

const doors = Array.from({ length: 40 }, (_, index) => ({ id: `second-writer-${process.pid}-${index}` }))

describe('a second Tallyman on one machine', () => {
  it('D17 G17 looks once at what all processes have open, however many sites the first one writes', async () => {
    using place = mkdtempDisposableSync(join(tmpdir(), 'tallyman-locks-'))
    await using stack = new AsyncDisposableStack()
    let looks = 0
    const counted = () => {
      looks += 1
      return lookAtHolders()
    }
    const [first, second] = [createWriter(place.path), createWriter(place.path, counted)]
    stack.defer(() => first.release())
    stack.defer(() => second.release())
    const claimAll = (writer: Writer) =>
      Promise.all(doors.map(async door => (await writer.claim(writer, identity('prod'), [door])).isOurs))
    expect(await claimAll(first)).to.deep.equal(doors.map(() => true))
    for (let pass = 0; pass < 2; pass += 1)
      expect(await claimAll(second)).to.deep.equal(doors.map(() => false))
    expect(looks).to.equal(1)
  })

  it('D17 passes over nobody for what was so a moment ago', async () => {
    using place = mkdtempDisposableSync(join(tmpdir(), 'tallyman-locks-'))
    await using stack = new AsyncDisposableStack()
    const socket = join(place.path, 'engine.sock')
    writeFileSync(socket, '', { mode: 0o660 })
    const door = { id: `passed-over-${process.pid}`, socket }
    const seen = [heldBy(1000), heldBy(0)]
    const [first, second] = [
      createWriter(place.path),
      createWriter(place.path, async () => () => seen.shift() ?? heldBy(0)),
    ]
    stack.defer(() => first.release())
    stack.defer(() => second.release())
    await first.claim(first, identity('prod'), [door])
    expect(await second.claim(second, identity('prod'), [door])).to.have.property('isOurs', false)
    expect(seen).to.deep.equal([])
  })

  for (const taken of ['before', 'after'] as const)
    for (const holder of ['a stranger', 'one who may write'] as const)
      for (const says of ['nothing', 'a blank now and then', 'that it writes'] as const)
        it(`D17 G24 has an answer soon where ${holder} took the name ${taken} the last look and says ${says}`, async () => {
          const claimed = await claimBeside(taken, holder === 'a stranger' ? stranger : root, says)
          if (holder === 'a stranger') expect(claimed).to.have.property('isOurs', true)
          else expect(claimed).to.have.keys('isOurs', says === 'that it writes' ? 'rival' : 'silent')
        })

  it('D17 names no holder that is gone by now', async () => {
    await using stack = new AsyncDisposableStack()
    using place = mkdtempDisposableSync(join(tmpdir(), 'tallyman-locks-'))
    const door = { id: `gone-${process.pid}` }
    const seen = [heldBy(root), { sockets: [], isWhole: true }]
    const writer = createWriter(place.path, async () => () => seen.shift() ?? heldBy(root))
    stack.defer(() => writer.release())
    stack.use(await hold(await nameAt(door), 'nothing'))
    expect(await writer.claim(writer, identity('prod'), [door])).to.deep.equal({ isOurs: false })
  })
})

const root = 0
/** No user of this machine. */
const stranger = 64_321

type Says = 'nothing' | 'a blank now and then' | 'that it writes'

/** Claims what a user took before or after the last look at the machine. */
async function claimBeside(taken: 'before' | 'after', uid: number, says: Says) {
  await using stack = new AsyncDisposableStack()
  using place = mkdtempDisposableSync(join(tmpdir(), 'tallyman-locks-'))
  const socket = join(place.path, 'engine.sock')
  writeFileSync(socket, '', { mode: 0o660 })
  const door = { id: `beside-${process.pid}`, socket }
  const name = await nameAt(door)
  const other = { id: `seen-${process.pid}`, socket }
  const names = new Set<string>()
  const writer = createWriter(place.path, async () => {
    const now = new Set(names)
    return asked => (now.has(asked) ? heldBy(uid) : { sockets: [], isWhole: true })
  })
  stack.defer(() => writer.release())
  const take = async () => {
    stack.use(await hold(name, says))
    names.add(name)
  }
  if (taken === 'before') await take()
  // Another name that is taken has the machine looked at.
  const first = createWriter(place.path)
  stack.defer(() => first.release())
  await first.claim(first, identity('prod'), [other])
  expect((await writer.claim(writer, identity('prod'), [other])).isOurs).to.equal(false)
  if (taken === 'after') await take()
  return await writer.claim(writer, identity('prod'), [door])
}

/** Holds a name in the abstract namespace, and answers whoever connects like this. */
async function hold(name: string, says: Says): Promise<Server> {
  const { environment, source, address, directory } = identity('prod')
  const server = createServer(socket => {
    socket.on('error', () => undefined)
    if (says === 'that it writes') socket.end(JSON.stringify({ environment, source, address, directory }))
    if (says !== 'a blank now and then') return
    const drip = every(100, () => socket.write(' '))
    socket.on('close', () => drip.cancel())
  })
  server.listen(`\0${name}`)
  await once(server, 'listening')
  return server
}

/** Returns the name that claims of an engine have. */
async function nameAt(door: { readonly id: string }): Promise<string> {
  using place = mkdtempDisposableSync(join(tmpdir(), 'tallyman-locks-'))
  await using stack = new AsyncDisposableStack()
  const names: string[] = []
  const look = async () => (name: string) => {
    names.push(name)
    return heldBy(root)
  }
  const [first, second] = [createWriter(place.path), createWriter(place.path, look)]
  stack.defer(() => first.release())
  stack.defer(() => second.release())
  for (const writer of [first, second]) await writer.claim(writer, identity('prod'), [door])
  return names[0] ?? ''
}

/** A name that one process of a user has open, as far as that is seen. */
function heldBy(uid: number): Sight {
  return {
    sockets: [[{ pid: 71, command: 'it', uid, gids: [uid], isCapable: false }]],
    isWhole: true,
  }
}
