import { Writable } from 'node:stream'
import { expect } from 'chai'
import { createLog, type LogFormat, type LogLevel } from '../../lib/log.ts'

describe('log', () => {
  it('G13 writes a JSON line with the time, the level, the message and the fields', () => {
    const { log, lines } = logInto('json')
    log.with({ environment: 'prod' }).warn('plan waits', { pass: 7, sites: ['a', 'b'], site: undefined })
    expect(parse(lines()[0])).to.deep.equal({
      time: 'a time',
      level: 'warn',
      message: 'plan waits',
      environment: 'prod',
      pass: 7,
      sites: ['a', 'b'],
    })
  })

  it('writes for people on a terminal: time, environment, message, fields', () => {
    const { log, lines } = logInto('pretty')
    log.with({ environment: 'prod' }).info('container started', { site: 'local', reason: 'image differs' })
    log.error('no engine answers')
    expect(lines().map(withoutTime)).to.deep.equal([
      'TIME prod  container started  site=local reason="image differs"',
      'TIME error  no engine answers',
    ])
  })

  it('chooses JSON lines where nobody looks at a terminal', () => {
    const { log, lines } = logInto('auto')
    log.info('looked')
    expect(lines()[0]).to.match(/^\{"time":/)
  })

  it('chooses the form for people on a terminal', () => {
    const { log, lines } = logInto('auto', 'info', true)
    log.info('looked')
    expect(withoutTime(lines()[0] ?? '')).to.equal('TIME  looked')
  })

  it('leaves out what lies below its level', () => {
    const { log, lines } = logInto('json', 'warn')
    log.debug('one')
    log.info('two')
    log.warn('three')
    expect(lines()).to.have.length(1)
  })

  it('G16 masks credentials in the message and in the fields', () => {
    const { log, lines } = logInto('json')
    log.info('fetch https://ann:word@host/a', { urls: ['https://ann:word@host/b'] })
    expect(lines()[0]).to.include('fetch https://***@host/a').and.include('https://***@host/b')
    expect(lines()[0]).not.to.include('word')
  })

  it('G16 lets nothing foreign forge a line or reach the terminal', () => {
    const { log, lines } = logInto('pretty')
    log.info('subject\n12:00:00 prod  forged\u001b[2J', { by: 'ann\u202egro' })
    expect(lines().map(withoutTime)).to.deep.equal([
      'TIME  subject\\n12:00:00 prod  forged\\u001b[2J  by=ann\\u202egro',
    ])
  })

  it('keeps a field from taking the place of the message or the level', () => {
    const { log, lines } = logInto('json')
    log.info('true', { message: 'false', level: 'error', time: 'never' })
    expect(parse(lines()[0])).to.deep.equal({ time: 'a time', level: 'info', message: 'true' })
  })
})

function logInto(format: LogFormat, level: LogLevel = 'info', isTTY = false) {
  let text = ''
  const sink = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk)
      done()
    },
  })
  const log = createLog({ level, format, stream: Object.assign(sink, { isTTY }) })
  return { log, lines: () => text.split('\n').slice(0, -1) }
}

function parse(line = ''): unknown {
  const { time, ...rest } = JSON.parse(line)
  return { time: /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(time) ? 'a time' : time, ...rest }
}

function withoutTime(line: string): string {
  return line.replace(/^\d\d:\d\d:\d\d/, 'TIME')
}
