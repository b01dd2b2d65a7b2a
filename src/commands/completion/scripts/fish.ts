export const fishScript = String.raw`# fish completion for kubectl-csi
function __kubectl_csi_candidates
    set -l words (commandline -opc) (commandline -ct)
    set -l kept ''
    if string match -qr -- '^-.*=' $words[-1]
        set kept (string replace -r -- '=.*$' '=' $words[-1])
    end
    set -l directive 0
    for line in ($words[1] __complete $words[2..-1] </dev/null 2>/dev/null)
        if string match -q -- ':*' $line
            set directive (string sub -s 2 -- $line)
        else
            printf '%s\n' $kept$line
        end
    end
    set -l begun (string replace -r -- '^-[^=]*=' '' $words[-1])
    if test (math "bitand($directive, 16)") -ne 0
        for path in (__fish_complete_directories $begun)
            printf '%s\n' $kept$path
        end
    else if test (math "bitand($directive, 4)") -eq 0
        for path in (__fish_complete_path $begun)
            printf '%s\n' $kept$path
        end
    end
end
complete -c kubectl-csi -f -a '(__kubectl_csi_candidates)'
`;
