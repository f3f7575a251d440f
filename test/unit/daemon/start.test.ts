import { expect } from 'chai'
import { mayPass } from '../../../lib/daemon/start.ts'
import type { ErrorCode } from '../../../lib/errors/catalogue.ts'
import { Failure } from '../../../lib/errors.ts'

describe('what a daemon that starts waits for', () => {
  const cases: readonly (readonly [string, ErrorCode, string | undefined, boolean])[] = [
    ['a disk without room', 'disk-full', 'ENOSPC', true],
    ['a journal that another process holds', 'journal-busy', undefined, true],
    ['a file system that is read-only for now', 'journal-unusable', 'EROFS', true],
    ['a journal that SQLite cannot open', 'journal-unusable', 'ERR_SQLITE_ERROR', true],
    ['a state directory that this user may not write', 'journal-unusable', 'EACCES', false],
    ['a state directory that is a file', 'journal-unusable', 'ENOTDIR', false],
    ['a state directory that cannot be made', 'state-dir-unusable', 'EACCES', false],
    ['another daemon with this state directory', 'another-writer', undefined, false],
    ['a damaged journal', 'journal-corrupt', undefined, false],
    ['a journal of a later version', 'journal-newer', undefined, false],
    ['a configuration that is wrong', 'config-invalid', undefined, false],
  ]
  for (const [what, code, systemCode, isAwaited] of cases) {
    it(`G25 ${isAwaited ? 'waits for' : 'ends with'} ${what}`, () => {
      const cause = systemCode === undefined ? undefined : Object.assign(new Error(''), { code: systemCode })
      expect(mayPass(new Failure(code, '', { cause }))).to.equal(isAwaited)
    })
  }
})
