// For --import: what starts without the launcher takes its code from the same folders.
import { useBundles } from './bundles.mjs'
import { keepStripped } from './stripped.mjs'

keepStripped()
useBundles()
