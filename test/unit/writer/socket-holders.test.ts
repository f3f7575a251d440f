import { expect } from 'chai'
import { areStrangers, type SocketHolder } from '../../../lib/writer/socket-holders.ts'

/** The socket of an engine: of root, and of a group. */
const door = { uid: 0, gid: 106, mode: 0o140660 }
const stranger: SocketHolder = { pid: 71, command: 'squat', uid: 1000, gids: [1000], isCapable: false }

describe('who holds the name of a claim', () => {
  it('D17 is a stranger who is neither the owner nor of the group, and was given nothing', () => {
    const isStranger = (one: Partial<SocketHolder>, through = door) =>
      areStrangers({ sockets: [[{ ...stranger, ...one }]], isWhole: false }, through)
    expect(isStranger({})).to.equal(true)
    expect(isStranger({ uid: 0 }), 'root').to.equal(false)
    expect(isStranger({ gids: [1000, 106] }), 'of the group').to.equal(false)
    expect(isStranger({ isCapable: true }), 'capable').to.equal(false)
    expect(isStranger({}, { ...door, uid: 1000 }), 'the owner').to.equal(false)
    expect(isStranger({}, { ...door, mode: 0o140666 }), 'open to all').to.equal(false)
  })

  it('D17 is taken for a tallyman where it is not seen, also beside a stranger', () => {
    expect(areStrangers({ sockets: [], isWhole: true }, door), 'nobody').to.equal(false)
    expect(areStrangers({ sockets: [[]], isWhole: false }, door), 'hidden').to.equal(false)
    expect(areStrangers({ sockets: [[stranger], []], isWhole: false }, door), 'a decoy').to.equal(false)
    expect(areStrangers({ sockets: [[stranger, { ...stranger, uid: 0 }]], isWhole: true }, door)).to.equal(
      false,
    )
  })

  it('D17 is a stranger who sent the socket away, where every process was looked at', () => {
    expect(areStrangers({ sockets: [[]], isWhole: true }, door)).to.equal(true)
  })
})
