import { expect } from 'chai'
import { reasonIn, verdictIn } from '../../../../lib/git/signature/open-pgp.ts'

const fingerprint = 'A3AFC28015E7D640D727B17AD9E09FF5EE18F1D8'
const valid = `VALIDSIG ${fingerprint} 2026-11-22 1795342645 0 4 0 22 8 00 ${fingerprint}`
const status = (...lines: readonly string[]) => lines.map(line => `[GNUPG:] ${line}\n`).join('')
const ada = 'D9E09FF5EE18F1D8 Ada Example <ada@example.com>'

describe('what gpg says of a signature', () => {
  it('is good when exactly one is, and names its key and whose it is', () => {
    expect(verdictIn(status('NEWSIG', `GOODSIG ${ada}`, valid))).to.deep.equal({
      state: 'good',
      signer: { name: 'Ada Example <ada@example.com>', key: `OpenPGP ${fingerprint}` },
    })
  })

  const refused: readonly (readonly [why: string, lines: readonly string[]])[] = [
    ['untrusted: the key of Ada Example <ada@example.com> was withdrawn', [`REVKEYSIG ${ada}`, valid]],
    ['untrusted: the key of Ada Example <ada@example.com> has expired', [`EXPKEYSIG ${ada}`, valid]],
    ['untrusted: the signature of Ada Example <ada@example.com> has expired', [`EXPSIG ${ada}`, valid]],
    [
      'untrusted: no signer in the configuration has the key 3C705A289D714EAF',
      ['ERRSIG 3C705A289D714EAF 22 8 00 1 9 X', 'NO_PUBKEY 3C705A289D714EAF'],
    ],
    ['bad: it was made for other content', [`BADSIG ${ada}`]],
    [
      'bad: it is more than one signature',
      ['NEWSIG', `GOODSIG ${ada}`, valid, 'NEWSIG', `GOODSIG ${ada}`, valid],
    ],
    ['bad: it is more than one signature', ['NEWSIG', `BADSIG ${ada}`, 'NEWSIG', `GOODSIG ${ada}`, valid]],
    ['bad: gpg cannot verify it', [`GOODSIG ${ada}`]],
    ['bad: gpg cannot verify it', [valid]],
    ['bad: gpg cannot verify it', [`GOODSIG ${ada}`, `GOODSIG ${ada}`, valid]],
    ['bad: gpg cannot verify it', [`GOODSIG ${ada}`, valid, 'ERRSIG 3C705A289D714EAF 22 8 00 1 4 X']],
    ['bad: gpg cannot verify it', ['NODATA 4']],
    ['bad: gpg cannot verify it', []],
  ]
  for (const [why, lines] of refused)
    it(`G24 is refused, ${why}: ${lines.join(', ').slice(0, 60)}`, () => {
      const verdict = verdictIn(status(...lines))
      expect(verdict.state === 'good' ? 'good' : `${verdict.state}: ${verdict.reason}`).to.equal(why)
    })

  it('G24 counts no line that gpg did not mark as its own', () => {
    expect(verdictIn(`GOODSIG ${ada}\n ${valid}\nx[GNUPG:] GOODSIG ${ada}\n`).state).to.equal('bad')
  })
})

describe('what gpg says of a file with keys', () => {
  it('is told in words that stand apart, without what it says of every import', () => {
    const said =
      "gpg: keybox '/tmp/h/pubring.kbx' created\ngpg: CRC error; 47620E - A3E491\ngpg: read_block: read error: Invalid keyring\ngpg: Total number processed: 0\n"
    expect(reasonIn(said)).to.equal('CRC error; 47620E - A3E491; read_block: read error: Invalid keyring')
    expect(reasonIn('')).to.equal('it has no key')
  })
})
