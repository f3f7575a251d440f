/** Has this process look for a place of temporary files in that directory, which may not exist, until it is disposed of. */
export function temporaryFilesIn(directory: string): Disposable {
  const { TMPDIR: before } = process.env
  process.env['TMPDIR'] = directory
  return {
    [Symbol.dispose]() {
      if (before === undefined) delete process.env['TMPDIR']
      else process.env['TMPDIR'] = before
    },
  }
}
