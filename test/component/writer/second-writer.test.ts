import { mkdtempDisposableSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { lookAtHolders, type Sight } from '../../../lib/writer/socket-holders.ts'
import { createWriter, type Writer } from '../../../lib/writer.ts'
import { identity } from '../../support/builders.ts'

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
})

/** A name that one process of a user has open, as far as that is seen. */
function heldBy(uid: number): Sight {
  return {
    sockets: [[{ pid: 71, command: 'it', uid, gids: [uid], isCapable: false }]],
    isWhole: true,
  }
}
