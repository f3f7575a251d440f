import { expect } from 'chai'
import { createLogText } from '../../../../../lib/docker/container/output/log-text.ts'
import { frame } from '../../logs/frames.ts'

function logText(sent: Buffer): string {
  const read = createLogText()
  read.add(sent)
  return read.text()
}

describe('the text that the engine sends of a program', () => {
  it('H7 is without the frames of both streams', () => {
    expect(logText(Buffer.concat([frame(1, 'starting\n'), frame(2, 'no dätabase\n')]))).to.equal(
      'starting\nno dätabase\n',
    )
  })

  it('H7 is what a terminal showed as it is, with lines as others end them', () => {
    expect(logText(Buffer.from('starting\r\nno dätabase\r\n'))).to.equal('starting\nno dätabase\n')
    expect(logText(Buffer.from('hi\r\n'))).to.equal('hi\n')
  })

  it('G13 has nothing of what the engine says of itself, which tells that it is not whole', () => {
    const read = createLogText()
    read.add(
      Buffer.concat([frame(1, 'starting\n'), frame(3, 'Error grabbing logs: node n1 is not available')]),
    )
    expect(read.text()).to.equal('starting\n')
    expect(read.isBroken()).to.equal(true)
    expect(logText(frame(3, 'Error grabbing logs: node n1 is not available'))).to.equal('')
  })

  it('H7 has what there is of a frame that was cut off', () => {
    expect(logText(frame(1, 'starting').subarray(0, 12))).to.equal('star')
    expect(logText(Buffer.alloc(0))).to.equal('')
  })

  it('H7 has each character whole, wherever frames end and whichever stream is between them', () => {
    const [begin, end] = [Buffer.from('dä').subarray(0, 2), Buffer.from('ä').subarray(1)]
    expect(logText(Buffer.concat([frame(1, begin), frame(1, end)]))).to.equal('dä')
    expect(logText(Buffer.concat([frame(1, begin), frame(2, '!'), frame(1, end)]))).to.equal('d!ä')
  })

  for (const [what, sent] of [
    ['frames', Buffer.concat([frame(1, 'no '), frame(2, ''), frame(1, 'dätabase'), frame(2, '\n')])],
    ['a terminal', Buffer.from('no dätabase\r\n')],
  ] as const)
    it(`G17 H7 can be read as it comes, however it is cut: ${what}`, () => {
      for (let bytes = 1; bytes <= sent.length; bytes += 1) {
        const read = createLogText()
        for (let at = 0; at < sent.length; at += bytes) read.add(sent.subarray(at, at + bytes))
        expect(read.text(), `${bytes} bytes at a time`).to.equal('no dätabase\n')
      }
    })
})
