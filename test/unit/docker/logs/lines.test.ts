import { expect } from 'chai'
import { frame, read } from './frames.ts'

const at = '2026-01-31T10:00:00.000000001Z'

const later = '2026-01-31T10:00:00.000000002Z'

describe('the lines in what an engine sends of a container', () => {
  for (const size of [1, 7, 1 << 20])
    it(`C52 are whole, with their stream and time, in chunks of ${size} bytes`, async () => {
      const sent = [frame(1, `${at} größe\n`), frame(2, `${later} no\n`), frame(1, `${later} end`)]
      expect(await read(Buffer.concat(sent), { size })).to.deep.equal([
        { at, stream: 'stdout', text: 'größe' },
        { at: later, stream: 'stderr', text: 'no' },
        { at: later, stream: 'stdout', text: 'end' },
      ])
    })

  it('C52 G16 hide a secret, and keep a character, that lie across two pieces of a line', async () => {
    const [head, tail] = [Buffer.from('ä').subarray(0, 1), Buffer.from('ä').subarray(1)]
    const sent = [
      frame(1, `${at} key hun`),
      frame(2, `${at} between\n`),
      frame(1, Buffer.concat([Buffer.from(`${at} ter2`), head])),
      frame(1, Buffer.concat([Buffer.from(`${at} `), tail, Buffer.from('\n')])),
    ]
    expect(await read(Buffer.concat(sent))).to.deep.equal([
      { at, stream: 'stderr', text: 'between' },
      { at, stream: 'stdout', text: 'key [REDACTED]ä' },
    ])
  })

  it('C52 G16 lose the times within a long line of a terminal, which would divide a secret', async () => {
    const long = `${'x'.repeat(16 * 1024 - 3)}hun`
    const sent = Buffer.from(`${at} ${long}${at} ter2\r\n${later} next\r\n`)
    for (const size of [1000, 1 << 20]) {
      const [first, second] = await read(sent, { size, isTerminal: true })
      expect(first?.text).to.equal(`${'x'.repeat(16 * 1024 - 3)}[REDACTED]`)
      expect(second).to.deep.equal({ at: later, stream: 'stdout', text: 'next' })
    }
  })

  it('G16 G24 lose colors and other commands to a terminal before secrets are hidden', async () => {
    const sent = frame(1, `${at} \x1b[31mhun\x1b[0mter2 \x1b]8;;http://x\x07link\n`)
    expect((await read(sent)).map(({ text }) => text)).to.deep.equal(['[REDACTED] link'])
  })

  it('C52 G24 are cut off after 64 KiB, and go on with the next line', async () => {
    const piece = frame(1, `${at} ${'y'.repeat(16 * 1024)}`)
    const sent = [...Array<Buffer>(100).fill(piece), frame(1, `${at} \n`), frame(1, `${later} next\n`)]
    const [first, second, ...more] = await read(Buffer.concat(sent))
    expect(first?.text).to.equal(`${'y'.repeat(64 * 1024)} … (the rest of this line is too long to be shown)`)
    expect(second?.text).to.equal('next')
    expect(more).to.deep.equal([])
  })

  it('G16 show nothing of a secret that ends behind what is held of a line', async () => {
    const secret = `s${'z'.repeat(999)}`
    const piece = frame(1, `${at} ${secret.repeat(16)}`)
    const sent = Buffer.concat(Array<Buffer>(100).fill(piece))
    const [first] = await read(sent, { hide: text => text.replaceAll(secret, '*') })
    expect(first?.text).to.match(/^\** … \(the rest of this line is too long to be shown\)$/)
  })

  it('C52 have the times of another zone in UTC, and none if the engine gave none', async () => {
    const sent = [frame(1, '2026-01-31T12:00:00.000000001+02:00 a\n'), frame(1, 'b\n')]
    expect(await read(Buffer.concat(sent))).to.deep.equal([
      { at, stream: 'stdout', text: 'a' },
      { at: '', stream: 'stdout', text: 'b' },
    ])
  })

  it('C52 end with the words of an engine that cannot read on', async () => {
    const reading = read(frame(3, 'Error grabbing logs: unexpected EOF\n'))
    const error: unknown = await reading.catch((thrown: unknown) => thrown)
    expect(String(error)).to.equal('Error: Error grabbing logs: unexpected EOF')
  })

  it('C52 have no time where a container wrote what is none', async () => {
    const text = `${'x'.repeat(16 * 1024)}2026-99-99T10:00:00.000000001+02:00 `
    const [first] = await read(Buffer.from(`${at} ${text}\n`), { isTerminal: true })
    expect(first).to.deep.equal({ at, stream: 'stdout', text })
  })

  it('G22 end where an engine announces more than it ever sends at once', async () => {
    const header = Buffer.from([1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff])
    const error: unknown = await read(header).catch((thrown: unknown) => thrown)
    expect(String(error)).to.equal('Error: a frame of the log has more than 4194304 bytes')
  })
})
