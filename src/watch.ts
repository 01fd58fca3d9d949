import { outliveTerminal } from './service/watchdog/stop-signals.ts'
import { watchOver } from './service/watchdog/watchdog.ts'

// The parent of a node, where it is known beforehand that there is one: nothing else is loaded.
outliveTerminal()
process.exitCode = await watchOver()
