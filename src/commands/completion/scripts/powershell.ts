export const powershellScript =
  String.raw`# PowerShell completion for kubectl-csi
Register-ArgumentCompleter -Native -CommandName 'kubectl-csi' -ScriptBlock {
    param($WordToComplete, $CommandAst, $CursorPosition)
    $words = @($CommandAst.CommandElements | Where-Object { $_.Extent.StartOffset -lt $CursorPosition } | ForEach-Object { "$_".Trim("'", '"') })
    $program = $words[0]
    $asked = @($words | Select-Object -Skip 1)
    # An empty last word is what a Tab after a space asks for; older versions drop empty arguments of programs.
    if ($WordToComplete -eq '') { $asked += $(if ($PSNativeCommandArgumentPassing -in 'Standard', 'Windows') { '' } else { '""' }) }
    $kept = if ($WordToComplete -match '^(-[^=]*=)') { $Matches[1] } else { '' }
    foreach ($line in @(& $program __complete @asked 2>$null)) {
        if ($line -like ':*') { continue }
        $value, $hint = $line -split "` +
  '`t' +
  String.raw`", 2
        if (-not $hint) { $hint = $value }
        [System.Management.Automation.CompletionResult]::new($kept + $value, $value, 'ParameterValue', $hint)
    }
}
`;
