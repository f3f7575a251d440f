import { stopSignal } from './stop-signal.ts'

/** Asks one question of a command that nothing else interrupts. */
export async function confirmAlone(question: string): Promise<boolean> {
  const { signal, release } = stopSignal()
  try {
    return await confirm(question, signal)
  } finally {
    release()
  }
}

/** Asks on the terminal. Only the word "yes" means yes; Ctrl-C means no. */
export async function confirm(question: string, signal: AbortSignal): Promise<boolean> {
  const { input } = await import('@inquirer/prompts')
  try {
    return (await input({ message: question }, { signal, output: process.stderr })) === 'yes'
  } catch (error) {
    if (error instanceof Error && (error.name === 'ExitPromptError' || error.name === 'AbortPromptError'))
      return false
    throw error
  }
}
