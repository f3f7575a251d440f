import { expect } from 'chai'
import { textOf } from '../../../lib/docker/log-tail.ts'

const frame = (stream: number, text: string) =>
  Buffer.concat([Buffer.from([stream, 0, 0, 0, 0, 0, 0, Buffer.byteLength(text)]), Buffer.from(text)])

describe('textOf', () => {
  it("takes the engine's frames off both streams", () => {
    expect(textOf(Buffer.concat([frame(1, 'starting\n'), frame(2, 'no dätabase\n')]))).to.equal(
      'starting\nno dätabase\n',
    )
  })

  it('takes what a terminal showed as it is, with lines as others end them', () => {
    expect(textOf(Buffer.from('starting\r\nno d\u00e4tabase\r\n'))).to.equal('starting\nno d\u00e4tabase\n')
    expect(textOf(Buffer.from('hi\r\n'))).to.equal('hi\n')
  })

  it('takes a frame that was cut off as far as it goes', () => {
    expect(textOf(frame(1, 'starting').subarray(0, 12))).to.equal('star')
    expect(textOf(Buffer.alloc(0))).to.equal('')
  })
})
