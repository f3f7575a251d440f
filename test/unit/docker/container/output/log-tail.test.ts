import { expect } from 'chai'
import { logText } from '../../../../../lib/docker/container/output/log-tail.ts'

const frame = (stream: number, text: string) =>
  Buffer.concat([Buffer.from([stream, 0, 0, 0, 0, 0, 0, Buffer.byteLength(text)]), Buffer.from(text)])

describe('textOf', () => {
  it("takes the engine's frames off both streams", () => {
    expect(logText(Buffer.concat([frame(1, 'starting\n'), frame(2, 'no dätabase\n')]))).to.equal(
      'starting\nno dätabase\n',
    )
  })

  it('takes what a terminal showed as it is, with lines as others end them', () => {
    expect(logText(Buffer.from('starting\r\nno d\u00e4tabase\r\n'))).to.equal('starting\nno d\u00e4tabase\n')
    expect(logText(Buffer.from('hi\r\n'))).to.equal('hi\n')
  })

  it('takes a frame that was cut off as far as it goes', () => {
    expect(logText(frame(1, 'starting').subarray(0, 12))).to.equal('star')
    expect(logText(Buffer.alloc(0))).to.equal('')
  })
})
