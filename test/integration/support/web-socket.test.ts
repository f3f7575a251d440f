import { PassThrough } from 'node:stream'
import { expect } from 'chai'
import { nextBytes } from '../../support/network/web-socket.ts'

describe('the next bytes of a connection', () => {
  it('are read however it divides them, and what follows is left', async () => {
    const stream = new PassThrough()
    const word = nextBytes(stream, 4)
    stream.write('wo')
    setImmediate(() => stream.write('rdmore'))
    expect(await word).to.equal('word')
    expect(await nextBytes(stream, 4)).to.equal('more')
  })

  it('are an error that says how many there were, if it is over before', async () => {
    const stream = new PassThrough()
    const word = nextBytes(stream, 4).catch(String)
    setImmediate(() => stream.end('x'))
    expect(await word).to.equal('Error: it is over after 1 of 4 bytes')
  })
})
