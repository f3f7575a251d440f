import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** The environment that keeps git from the settings of whoever runs the tests. */
export const gitEnvironment: Readonly<Record<string, string>> = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
}

/** Runs git in a directory and returns what it prints, without the last line break. */
export async function git(
  directory: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const env = { ...process.env, ...gitEnvironment, ...environment }
  const { stdout } = await promisify(execFile)('git', args, { cwd: directory, env, maxBuffer: 64 << 20 })
  return stdout.trimEnd()
}
