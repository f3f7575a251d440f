import { expect } from 'chai'
import fc from 'fast-check'
import { packetLine, packetText, readPackets } from '../../../../lib/git/wire/pkt-line.ts'

async function* cut(text: string, size: number): AsyncIterable<Buffer> {
  for (let at = 0; at < text.length; at += size) yield Buffer.from(text.slice(at, at + size))
}

async function read(text: string, size = text.length): Promise<readonly string[]> {
  const seen: string[] = []
  for await (const packet of readPackets(cut(text, size), what => new Error(what)))
    seen.push(packet.kind === 'data' ? packetText(packet.bytes) : packet.kind)
  return seen
}

describe('packets of git', () => {
  it('begin with their length in four hex digits', () => {
    expect(packetLine('command=ls-refs')).to.equal('0014command=ls-refs\n')
  })

  it('are the same however the stream is cut', async () => {
    const text = '0014command=ls-refs\n00010009peel\n0000'
    const expected = ['command=ls-refs', 'delimiter', 'peel', 'flush']
    expect(await read(text)).to.deep.equal(expected)
    expect(await read(text, 1)).to.deep.equal(expected)
    expect(await read(text, 7)).to.deep.equal(expected)
  })

  it('G19 are refused when the stream ends within one', async () => {
    const error = await read('0014command').catch((thrown: unknown) => thrown)
    expect(error).to.be.an('error').with.property('message', 'the answer breaks off')
  })

  it('are refused when it is no length that stands in front', async () => {
    const error = await read('<html>').catch((thrown: unknown) => thrown)
    expect(error).to.be.an('error').with.property('message', 'answers something that is not of git')
  })

  it('G24 end or are refused, whatever the bytes are', async () => {
    const noise = fc.oneof(
      fc.string(),
      fc.constantFrom('0000', '0001', '0002', '0003', '0004', '0005a', 'ffff'),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(noise), fc.integer({ min: 1, max: 9 }), async (parts, size) => {
        const outcome = (pieces: number) =>
          read(parts.join(''), pieces).catch((error: Error) => error.message)
        expect(await outcome(size)).to.deep.equal(await outcome(1000))
      }),
    )
  })
})
