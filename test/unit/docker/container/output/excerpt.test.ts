import { expect } from 'chai'
import { excerpt, hiding, saidLines } from '../../../../../lib/docker/container/output/excerpt.ts'
import {
  searchPath,
  toldToApp,
  toldToHook,
} from '../../../../../lib/state/application/container/told-variables.ts'
import { printable } from '../../../../../lib/text/printable.ts'
import { redactNothing, redactor } from '../../../../../lib/text/redaction/redact.ts'

describe('excerpt', () => {
  it('keeps the last five lines, on one', () => {
    expect(excerpt('1\n2\n3\n\n4\r\n5\n6\n', redactNothing)).to.equal('2 | 3 | 4 | 5 | 6')
  })

  it('keeps the last 500 characters', () => {
    expect(excerpt(`${'a'.repeat(600)}end`, redactNothing))
      .to.have.lengthOf(500)
      .and.match(/aend$/)
  })

  it('G24 strips colours, and leaves what else controls a terminal to where it is printed', () => {
    const said = '\x1b[31mfatal\x1b[0m:\tno\x07 data\u200bbase\x00\u202e'
    expect(excerpt(said, redactNothing)).to.equal('fatal: no\x07 data\u200bbase\x00\u202e')
    expect(printable(excerpt(said, redactNothing))).to.equal('fatal: no\\u0007 data\\u200bbase\\u0000\\u202e')
  })

  it('keeps more where more is asked for', () => {
    expect(excerpt('1\n2\n3\n4\n5\n6\n7', redactNothing, { lines: 6, characters: 13 })).to.equal(
      '4 | 5 | 6 | 7',
    )
  })

  it('G16 hides before it cuts, so that no end of a secret is left', () => {
    const said = `${'a'.repeat(600)}canary-7f3a${'b'.repeat(495)}`
    expect(excerpt(said, redactor(['canary-7f3a']))).to.equal(`CTED]${'b'.repeat(495)}`)
  })

  it('G16 hides a secret whose letters have colours of their own', () => {
    expect(excerpt('is \x1b[1mcanary\x1b[0m-7f3a', redactor(['canary-7f3a']))).to.equal('is [REDACTED]')
  })
})

describe('what hides in the words of a container', () => {
  it('G16 hides the values of its environment, the longest first', () => {
    const hide = hiding(redactNothing, [
      'PASSWORD=hunter22',
      'URL=postgres://app:hunter22@db/app',
      'MODE=prod',
    ])
    expect(hide('prod: cannot reach postgres://app:hunter22@db/app with hunter22')).to.equal(
      'prod: cannot reach [REDACTED] with [REDACTED]',
    )
  })

  it('G16 hides each line of a value, and the password of an address, encoded and not', () => {
    const hide = hiding(redactNothing, ['KEY=first line\nsecond line', 'URL=amqp://app:p%40ssword@mq/'])
    expect(hide('second line, p%40ssword, p@ssword, app, mq')).to.equal(
      '[REDACTED], [REDACTED], [REDACTED], app, mq',
    )
  })

  it('G16 hides the lines of a value however they are indented, and short ones with their neighbours', () => {
    const value = '{\n  "password": "hunter22",\n\t"pin": "1234"\n}'
    const hide = hiding(redactNothing, [`SETTINGS=${value}`, 'WORDS=cat\nsun\nfog'])
    const said = 'bad: "password": "hunter22",\n> "pin": "1234"\nsun\r\nfog'
    expect(excerpt(said, hide)).to.equal('bad: [REDACTED] | > [REDACTED] | [REDACTED]')
  })

  it('G16 C12 H8 shows what Tallyman itself tells a container, but not the token of its pod', () => {
    const app = { ...toldToApp('reduce-worker'), PATH: searchPath }
    const hook = toldToHook({
      application: 'worker',
      service: 'worker',
      environment: 'production',
      hook: 'pre',
    })
    const told = Object.entries({ ...app, ...hook }).map(pair => pair.join('='))
    const address = 'http://tallyman-metadata:8080/3f9a7c'
    const hide = hiding(redactNothing, [...told, `AC_METADATA_URL=${address}`, 'MODE=careful'])
    const said = `tallyman: production/worker: reduce-worker: not found in ${searchPath}`
    expect(hide(`${said}, careful, ${address}`)).to.equal(`${said}, [REDACTED], [REDACTED]`)
    expect(hide('GET /3f9a7c/acMetadata/v1/pod/uuid')).to.equal('GET /[REDACTED]/acMetadata/v1/pod/uuid')
  })

  it('G16 hides what a container is told under a name that others use as well', () => {
    const hide = hiding(redactNothing, ['container=hunter22', 'PATH=/opt/hunter22', 'APP=reduce-worker'])
    expect(hide('hunter22 /opt/hunter22 reduce-worker')).to.equal('[REDACTED] [REDACTED] [REDACTED]')
  })

  it('C5 shows the name of a variable of its image that it does not have', () => {
    const hide = hiding(redactNothing, ['NODE_VERSION', 'P=hunter22'])
    expect(hide('NODE_VERSION is not set, hunter22')).to.equal('NODE_VERSION is not set, [REDACTED]')
  })

  it('G16 hides the secrets of the environment that it was not given as a variable', () => {
    expect(hiding(redactor(['from-a-file']), null)('it says from-a-file')).to.equal('it says [REDACTED]')
  })

  it('G16 keeps lines apart, without what nobody is to see', () => {
    expect(saidLines('a\n\n b\thunter22\r\n', hiding(redactNothing, ['P=hunter22']))).to.deep.equal([
      'a',
      'b [REDACTED]',
    ])
  })
})
