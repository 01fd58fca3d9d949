// For --import: what starts without the launcher takes its JavaScript from the same folder.
import { keepStripped } from './stripped.mjs'

keepStripped()
