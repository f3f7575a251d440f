import { expect } from 'chai'
import { formsOf } from '../../../lib/secrets/revealing-texts.ts'
import { redactor } from '../../../lib/text/redaction/redact.ts'

/** What is left of words of a container that was given a secret. */
const told = (secret: string, words: string) => redactor(formsOf(secret))(words)

describe('what a secret is recognised by', () => {
  const hidden: readonly (readonly [string, string, string, string])[] = [
    ['as a whole', 'hunter22', 'password hunter22 refused', 'password [REDACTED] refused'],
    ['with four characters', '7f3a', 'pin 7f3a', 'pin [REDACTED]'],
    [
      'one line of several',
      'line one\nline two\n',
      'parse error at "line two"',
      'parse error at "[REDACTED]"',
    ],
    ['one line of a file with CRLF', 'line one\r\nline two\r\n', 'line one', '[REDACTED]'],
    ['short lines whose beginning was cut off', 'cat\nsun\nfog\nowl', 'sun\nfog\nowl', '[REDACTED]'],
    ['short lines as a terminal has them', 'cat\nsun\nfog', 'cat\r\nsun\r\nfog', '[REDACTED]'],
    ['short lines on one', 'cat\nsun\nfog', 'words: cat sun fog', 'words: [REDACTED]'],
    ['lines that an old system ends', 'line one\rline two', 'got line two', 'got [REDACTED]'],
    ['an indented line', '{\n  "key": 12345\n}', 'near "key": 12345', 'near [REDACTED]'],
    [
      'the password of an address',
      'postgres://shop:hunter22@db/shop',
      'role shop: hunter22',
      'role shop: [REDACTED]',
    ],
    ['the password of an address, decoded', 'amqp://a:p%40ss@mq', 'p@ss is wrong', '[REDACTED] is wrong'],
    [
      'the passwords of several addresses',
      'amqp://a:one1@mq|amqp://a:two2@mq',
      'one1 two2',
      '[REDACTED] [REDACTED]',
    ],
    ['a setting of a connection string', 'Server=db;Password=hunter22', 'hunter22', '[REDACTED]'],
    ['a setting of a query', 'https://x/?token=abcdef&v=1', 'token abcdef', 'token [REDACTED]'],
    ['a setting of a file', 'USER=shop\nPASS="hunter22"\n', 'got hunter22', 'got [REDACTED]'],
    ['a setting of YAML', 'db:\n  password: correct horse\n', 'correct horse', '[REDACTED]'],
    ['a text within JSON', '{"db": {"word": "hunter22"}}', 'hunter22', '[REDACTED]'],
    ['a line of a text within JSON', '{"key": "-----BEGIN\\nMIIEabc\\n"}', 'bad MIIEabc', 'bad [REDACTED]'],
    ['percent-encoded', 'p@ss/word', 'http://a:p%40ss%2Fword@b', 'http://a:[REDACTED]@b'],
    ['percent-encoded in small letters', 'p@ss/word', 'p%40ss%2fword', '[REDACTED]'],
    ['as a form has it', 'two words', 'q=two+words', 'q=[REDACTED]'],
    ['as JSON has it', 'say "hi"', String.raw`{"a":"say \"hi\""}`, '{"a":"[REDACTED]"}'],
    ['in base64', 'hunter22', Buffer.from('hunter22').toString('base64'), '[REDACTED]I='],
  ]
  for (const [what, secret, words, left] of hidden)
    it(`G16 ${what}`, () => {
      expect(told(secret, words)).to.equal(left)
    })

  it('G16 within what is base64 of more, as in a header of HTTP', () => {
    for (const user of ['a', 'ab', 'abc']) {
      const header = Buffer.from(`${user}:hunter2-hunter2`).toString('base64')
      expect(told('hunter2-hunter2', header)).to.match(/^[\w+/]{0,6}\[REDACTED\][\w+/]?={0,2}$/)
    }
  })

  it('is left alone where it is shorter than four characters, and so are such lines and parts', () => {
    expect(formsOf('abc')).to.deep.equal([])
    expect(told('a\nb=1\n\nlonger', 'a=1, b, and on line 1')).to.equal('a=1, b, and on line 1')
  })
})
