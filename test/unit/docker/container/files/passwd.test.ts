import { expect } from 'chai'
import { ownerIn, readUser } from '../../../../../lib/docker/container/files/passwd.ts'

describe('whom a container runs as (G15)', () => {
  for (const [user, read] of [
    ['', { uid: 0 }],
    ['0', { uid: 0 }],
    ['1000', { uid: 1000 }],
    ['1000:50', { uid: 1000, gid: 50 }],
    ['1000:staff', { uid: 1000 }],
    ['app', { name: 'app' }],
    ['app:50', { name: 'app', gid: 50 }],
    [':50', { uid: 0, gid: 50 }],
    ['4294967294', { uid: 4_294_967_294 }],
    ['4294967295', { name: '4294967295' }],
    ['1000640000', { uid: 1_000_640_000 }],
  ] as const)
    it(`G15 reads the user "${user}"`, () => {
      expect(readUser(user)).to.deep.equal(read)
    })

  const passwd = `root:x:0:0:root:/root:/bin/sh
# app:x:1:1::/:/bin/sh
broken
app:x:none:1::/:
app:x:1000:50:,,,:/home/app:/bin/sh\r
app:x:0:0::/:
__proto__:x:7:7::/:
big:x:4294967295:1::/:`

  for (const [name, owner] of [
    ['app', { uid: 1000, gid: 50 }],
    ['root', { uid: 0, gid: 0 }],
    ['__proto__', { uid: 7, gid: 7 }],
    ['big', undefined],
    ['nobody', undefined],
    ['', undefined],
  ] as const)
    it(`G15 finds the first line that says who "${name}" is`, () => {
      expect(ownerIn(passwd, name)).to.deep.equal(owner)
    })
})
