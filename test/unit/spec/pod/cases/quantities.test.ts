import { expect } from 'chai'
import { parseQuantity } from '../../../../../lib/spec/pod/grammar/quantity.ts'
import { shown } from './outcome.ts'

const most = 9_223_372_036_854_775_807n

/** What is written, and how much that is in units and in thousandths of a unit, both rounded up. */
const cases: readonly (readonly [string, bigint, bigint])[] = [
  // Without a suffix.
  ['0', 0n, 0n],
  ['1', 1n, 1_000n],
  ['007', 7n, 7_000n],
  ['+5', 5n, 5_000n],
  ['-0', 0n, 0n],
  ['1.0', 1n, 1_000n],
  ['1.000', 1n, 1_000n],
  ['1.0001', 2n, 1_001n],
  ['0.3', 1n, 300n],
  ['.5', 1n, 500n],
  ['5.', 5n, 5_000n],
  ['125952', 125_952n, 125_952_000n],
  ['9223372036854775806', 9_223_372_036_854_775_806n, most],
  ['9223372036854775807', most, most],
  ['9223372036854775808', most, most],
  ['99999999999999999999999999999999', most, most],
  // Parts of a unit.
  ['250m', 1n, 250n],
  ['1000m', 1n, 1_000n],
  ['1001m', 2n, 1_001n],
  ['1500m', 2n, 1_500n],
  ['0.5m', 1n, 1n],
  ['1u', 1n, 1n],
  ['1000u', 1n, 1n],
  ['1001u', 1n, 2n],
  ['1000000u', 1n, 1_000n],
  ['1n', 1n, 1n],
  ['1000000n', 1n, 1n],
  ['1500000000n', 2n, 1_500n],
  ['0u', 0n, 0n],
  // Powers of 1000.
  ['1k', 1_000n, 1_000_000n],
  ['1K', 1_000n, 1_000_000n],
  ['1.5k', 1_500n, 1_500_000n],
  ['1.5K', 1_500n, 1_500_000n],
  ['0.0005k', 1n, 500n],
  ['3M', 3_000_000n, 3_000_000_000n],
  ['1G', 1_000_000_000n, 1_000_000_000_000n],
  ['4G', 4_000_000_000n, 4_000_000_000_000n],
  ['0.1G', 100_000_000n, 100_000_000_000n],
  ['7T', 7_000_000_000_000n, 7_000_000_000_000_000n],
  ['1P', 1_000_000_000_000_000n, 1_000_000_000_000_000_000n],
  ['9E', 9_000_000_000_000_000_000n, most],
  ['10E', most, most],
  // Powers of 1024.
  ['125952Ki', 128_974_848n, 128_974_848_000n],
  ['1Mi', 1_048_576n, 1_048_576_000n],
  ['64Mi', 67_108_864n, 67_108_864_000n],
  ['0.5Mi', 524_288n, 524_288_000n],
  ['1.5Mi', 1_572_864n, 1_572_864_000n],
  ['1Gi', 1_073_741_824n, 1_073_741_824_000n],
  ['2.5Gi', 2_684_354_560n, 2_684_354_560_000n],
  ['1Ti', 1_099_511_627_776n, 1_099_511_627_776_000n],
  ['1Pi', 1_125_899_906_842_624n, 1_125_899_906_842_624_000n],
  ['1Ei', 1_152_921_504_606_846_976n, most],
  ['8Ei', most, most],
  ['1.0001Ki', 1_025n, 1_024_103n],
  ['0.001Ki', 2n, 1_024n],
  ['0Ei', 0n, 0n],
  // Exponents.
  ['1e0', 1n, 1_000n],
  ['1E0', 1n, 1_000n],
  ['5e-2', 1n, 50n],
  ['1e-9', 1n, 1n],
  ['1e-999', 1n, 1n],
  ['0e999', 0n, 0n],
  ['1e999', most, most],
  ['1e00003', 1_000n, 1_000_000n],
  ['1.5e3', 1_500n, 1_500_000n],
  ['2E+9', 2_000_000_000n, 2_000_000_000_000n],
  ['12e1', 120n, 120_000n],
  // Less than nothing is rounded away from 0.
  ['-0.5', -1n, -500n],
  ['-1.5', -2n, -1_500n],
  ['-250m', -1n, -250n],
  ['-1Ki', -1_024n, -1_024_000n],
  ['-1e3', -1_000n, -1_000_000n],
  ['-99999999999999999999', -most, -most],
]

const refused: readonly string[] = [
  ...['', ' ', ' 1', '1\n', '1 G', '1,5', '1_000', '1.2.3', '..1', '--1', '+-1', '1-', '1+', '-'],
  ...['1KI', '1MI', '1gi', '1ki', '1B', '1KB', '1GiB', '1Gb', '1t', '1p', '1U', '1N', '1mm', '1mi', '1Mm'],
  ...['1e', '1e+', '1e1.5', '1E6M', '1eM', 'e3x', '0x10', '0b1', '1/2', '50%', 'NaN', 'Infinity', 'max'],
  ...['１', '1ｋ', '½', '1'.repeat(65)],
]

describe('C41 cases of quantities', () => {
  for (const [text, whole, thousandths] of cases)
    it(`${shown(text)} is ${whole}, and ${thousandths} thousandths`, () => {
      expect(parseQuantity(text)).to.deep.equal({ ok: true, value: { whole, thousandths, written: text } })
    })

  for (const text of refused)
    it(`${shown(text)} is none`, () => {
      expect(parseQuantity(text)).to.deep.equal({
        ok: false,
        reason: `"${text.slice(0, 64)}" is no quantity; write for example 500m, 1G or 64Mi`,
      })
    })
})
