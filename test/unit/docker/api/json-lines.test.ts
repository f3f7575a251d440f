import { Readable } from 'node:stream'
import { expect } from 'chai'
import { jsonLines } from '../../../../lib/docker/api/json-lines.ts'

async function read(...chunks: readonly Buffer[]): Promise<readonly unknown[]> {
  const values: unknown[] = []
  for await (const value of jsonLines(Readable.from(chunks))) values.push(value)
  return values
}

describe('jsonLines', () => {
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
})
