import { Readable } from 'node:stream'
import { expect } from 'chai'
import { eachJsonLine } from '../../../../lib/docker/api/json-lines.ts'

async function read(...chunks: readonly Buffer[]): Promise<readonly unknown[]> {
  const values: unknown[] = []
  await eachJsonLine(Readable.from(chunks), value => values.push(value))
  return values
}

describe('eachJsonLine', () => {
  it('puts lines together that arrive in pieces, in the middle of a character too', async () => {
    const bytes = Buffer.from('{"a":"ä"}\r\n{"b":2}\n\n{"c":3}')
    expect(await read(...Array.from(bytes, byte => Buffer.from([byte])))).to.deep.equal([
      { a: 'ä' },
      { b: 2 },
      { c: 3 },
    ])
  })

  it('takes several lines from one piece', async () => {
    expect(await read(Buffer.from('1\n2\n3\n'))).to.deep.equal([1, 2, 3])
  })

  it('reads nothing more once whoever listens has failed, and ends with that failure', async () => {
    const heard: number[] = []
    const stream = Readable.from([Buffer.from('1\n2\n3\n'), Buffer.from('4\n')])
    const listening = eachJsonLine<number>(stream, value => {
      heard.push(value)
      if (value === 2) throw new Error('that is enough')
    })
    const failed = await listening.catch((error: Error) => error.message)
    expect([failed, heard, stream.destroyed]).to.deep.equal(['that is enough', [1, 2], true])
  })

  it('ends with the failure of a stream that breaks off in the middle of a line', async () => {
    const stream = new Readable({ read() {} })
    const listening = eachJsonLine(stream, () => undefined).catch((error: Error) => error.message)
    stream.push('{"a":')
    stream.destroy(new Error('the connection is lost'))
    expect(await listening).to.equal('the connection is lost')
  })

  it('G22 ends with a failure if a line never ends', async () => {
    let sent = 0
    const failed = await eachJsonLine(
      Readable.from(
        (function* endless() {
          for (; ; sent += 1) yield Buffer.alloc(1024 * 1024, 'x')
        })(),
      ),
      () => undefined,
    ).catch((error: Error) => error.message)
    expect(failed).to.equal('a line of a stream has more than 4194304 characters')
    expect(sent).to.be.below(30)
  })

  it('ends with a failure if a line is no JSON', async () => {
    const failed = await read(Buffer.from('{"a":\n')).catch((error: Error) => error.name)
    expect(failed).to.equal('SyntaxError')
  })
})
