import { expect } from 'chai'
import { signedCommit, signedTag, tagged } from '../../../../lib/git/signature/signed.ts'

const [tree, parent] = ['a'.repeat(40), 'b'.repeat(40)]
const people = 'author Ädä <a@x> 1 +0000\ncommitter Ädä <a@x> 1 +0000'
const armour = '-----BEGIN SSH SIGNATURE-----\nU1NI\n-----END SSH SIGNATURE-----'
const header = (text: string, name = 'gpgsig') => `${name} ${text.replaceAll('\n', '\n ')}`

function commitOf(...headers: readonly string[]): Buffer {
  return Buffer.from(`${headers.join('\n')}\n\nSubject\n\n gpgsig in a message\n`)
}

describe('what is signed of a commit', () => {
  it('is all of it without the signature, byte for byte, wherever that stands', () => {
    const plain = commitOf(`tree ${tree}`, `parent ${parent}`, people)
    const latin = Buffer.concat([plain, Buffer.from([0xe9, 0xff, 0x0a])])
    for (const content of [
      commitOf(`tree ${tree}`, `parent ${parent}`, people, header(armour)),
      commitOf(`tree ${tree}`, header(armour), `parent ${parent}`, people),
      commitOf(`tree ${tree}`, `parent ${parent}`, people, header(armour), header(armour, 'gpgsig-sha256')),
    ]) {
      expect(signedCommit(content)).to.deep.equal({ payload: plain, signature: `${armour}\n` })
      const bytes = Buffer.concat([content, Buffer.from([0xe9, 0xff, 0x0a])])
      expect(signedCommit(bytes)?.payload.equals(latin)).to.equal(true)
    }
  })

  it('keeps the other headers of several lines', () => {
    const mergetag = 'mergetag object 1\n type commit\n gpgsig is no header here'
    expect(
      signedCommit(commitOf(`tree ${tree}`, people, mergetag, header(armour)))?.payload.toString(),
    ).to.equal(commitOf(`tree ${tree}`, people, mergetag).toString())
  })

  it('G24 is nothing without a signature, with two, or with one in the message', () => {
    for (const content of [
      commitOf(`tree ${tree}`, people),
      commitOf(`tree ${tree}`, people, header(armour), header(armour)),
      commitOf(`tree ${tree}`, people, header(armour, 'gpgsig-sha256')),
      Buffer.from(`tree ${tree}\n${people}\n\nSubject\n${armour}\n`),
      Buffer.from(`tree ${tree}\n${header(armour)}`),
    ])
      expect(signedCommit(content)).to.equal(undefined)
  })
})

describe('what is signed of a tag', () => {
  const text = `object ${tree}\ntype commit\ntag v1\ntagger A <a@x> 1 +0000\n\nVersion 1\n`

  it('is all of it before the last signature', () => {
    expect(signedTag(Buffer.from(`${text}${armour}\n`))).to.deep.equal({
      payload: Buffer.from(text),
      signature: `${armour}\n`,
    })
    const quoting = `${text}${armour}\nis what they look like\n`
    expect(signedTag(Buffer.from(`${quoting}${armour}\n`))?.payload.toString()).to.equal(quoting)
    expect(signedTag(Buffer.from(text))).to.equal(undefined)
  })

  it('says which commit it stands for, and under which name', () => {
    expect(tagged(Buffer.from(text))).to.deep.equal({ commit: tree, name: 'v1' })
    expect(tagged(Buffer.from(text.replace('type commit', 'type tag')))).to.equal(undefined)
  })
})
