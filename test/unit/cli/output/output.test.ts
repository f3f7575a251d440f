import { expect } from 'chai'
import { createOutput, reportErrors, reportFailure } from '../../../../lib/cli/output/output.ts'
import { Failure, InvalidInput } from '../../../../lib/errors.ts'
import { styled } from '../../../../lib/plan/text/line.ts'
import { sinks } from '../../../support/command/sinks.ts'

describe('what a command prints', () => {
  it('G24 is one line for each line, whatever stands in it', () => {
    const { streams, said } = sinks()
    const output = createOutput({}, streams)
    output.text(['a\nb', ['c ', styled('red', 'd\u001b[2K')], ''])
    output.note('e\r\u202ef')
    expect(said()).to.deep.equal({
      stdout: 'a\\nb\nc d\\u001b[2K\n\n',
      stderr: 'e\\r\\u202ef\n',
    })
  })

  it('G24 has colors of its own on a terminal, and none that a text brings along', () => {
    const { streams, said } = sinks({ isTTY: true })
    const output = createOutput({}, streams)
    output.text([['a\u001b[31m ', styled('green', 'b\u001b[0m')]])
    expect(said().stdout).to.equal('a\\u001b[31m \u001b[32mb\\u001b[0m\u001b[39m\n')
  })

  it('G24 is JSON without anything that acts on a terminal, and with the values as they are', () => {
    const { streams, said } = sinks()
    const value = { 'a\u009b': ['b\u202e', 'c\u001b\n'] }
    createOutput({ output: 'json' }, streams).document(value)
    expect(said().stdout).to.match(/^[\n -~]*$/)
    expect(JSON.parse(said().stdout)).to.deep.equal(value)
  })

  it('G13 is one error once, however many applications it concerns', () => {
    const { streams, said } = sinks()
    const wrong = {
      code: 'deployment-invalid',
      message: 'shop.yaml:2:14: no such application',
      hint: 'Correct it.',
    } as const
    reportErrors(createOutput({}, streams), [wrong, { ...wrong, message: 'shop.yaml:1:7: two names' }, wrong])
    expect(said().stderr.trimEnd().split('\n')).to.deep.equal([
      'Error: shop.yaml:2:14: no such application (deployment-invalid)',
      '  hint: Correct it.',
      'Error: shop.yaml:1:7: two names (deployment-invalid)',
      '  hint: Correct it.',
    ])
  })

  it('G24 is a message of an error on one line, and its hint on another', () => {
    const { streams, said } = sinks()
    const output = createOutput({}, streams)
    reportErrors(output, [{ code: 'internal', message: 'a\n  hint: b', hint: 'c\u001b[1A' }])
    reportFailure(output, new Failure('internal', 'd\nError: e', { hint: 'f' }))
    reportFailure(
      output,
      new InvalidInput([
        {
          code: 'internal',
          message: 'g\u0007',
          hint: 'h',
          position: { file: 'i\u202e', line: 1, column: 2 },
        },
      ]),
    )
    expect(said().stderr.split('\n')).to.deep.equal([
      'Error: a\\n  hint: b (internal)',
      '  hint: c\\u001b[1A',
      'Error: d\\nError: e (internal)',
      '  hint: f',
      'i\\u202e:1:2: g\\u0007 (internal)',
      '  hint: h',
      '',
    ])
  })

  it('G13 says of several problems what to do about each code, and never what helps with another one', () => {
    const { streams, said } = sinks()
    const output = createOutput({}, streams)
    reportFailure(
      output,
      new InvalidInput([
        { code: 'json-invalid', message: 'a', hint: 'Close the brace.' },
        { code: 'file-missing', message: 'b' },
        { code: 'file-missing', message: 'c' },
      ]),
    )
    expect(said().stderr.split('\n')).to.deep.equal([
      'a (json-invalid)',
      'b (file-missing)',
      'c (file-missing)',
      '  hint (json-invalid): Close the brace.',
      '  hint (file-missing): Add the file, or correct the path.',
      '',
    ])
  })
})
