// Renders the templates of a chart as helm template does, for tests on machines without helm: the functions that the chart uses, and no more.
// Usage: main.go DIRECTORY, with {"Values": …, "Release": …, "Chart": …} on standard input.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"sort"
	"strings"
	"text/template"
)

type files struct{ directory string }

func (f files) Get(name string) string {
	content, err := os.ReadFile(filepath.Join(f.directory, name))
	check(err)
	return string(content)
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// JSON is YAML, so it stands in for it.
func toJSON(value any) string {
	text, err := json.Marshal(value)
	check(err)
	return string(text)
}

// Maps and lists in block style, since the chart puts them next to other entries; what is in them stays JSON.
func toYAML(value any) string {
	var lines []string
	switch kind := value.(type) {
	case map[string]any:
		for key, one := range kind {
			lines = append(lines, toJSON(key)+": "+toJSON(one))
		}
		sort.Strings(lines)
	case []any:
		for _, one := range kind {
			lines = append(lines, "- "+toJSON(one))
		}
	}
	if len(lines) == 0 {
		return toJSON(value)
	}
	return strings.Join(lines, "\n")
}

func isEmpty(value any) bool {
	if value == nil {
		return true
	}
	return reflect.ValueOf(value).IsZero()
}

func main() {
	directory := os.Args[1]
	var data map[string]any
	check(json.NewDecoder(os.Stdin).Decode(&data))
	data["Files"] = files{directory}
	root := template.New("chart").Option("missingkey=error")
	root.Funcs(template.FuncMap{
		"include": func(name string, value any) (string, error) {
			var out bytes.Buffer
			err := root.ExecuteTemplate(&out, name, value)
			return out.String(), err
		},
		"toYaml":     toYAML,
		"toJson":     toJSON,
		"quote":      func(value any) string { return toJSON(fmt.Sprint(value)) },
		"lower":      strings.ToLower,
		"contains":   func(part, text string) bool { return strings.Contains(text, part) },
		"trimSuffix": func(end, text string) string { return strings.TrimSuffix(text, end) },
		"join": func(separator string, list []any) string {
			var texts []string
			for _, one := range list {
				texts = append(texts, fmt.Sprint(one))
			}
			return strings.Join(texts, separator)
		},
		"trunc": func(most int, text string) string {
			if len(text) > most {
				return text[:most]
			}
			return text
		},
		"nindent": func(spaces int, text string) string {
			pad := "\n" + strings.Repeat(" ", spaces)
			return pad + strings.ReplaceAll(text, "\n", pad)
		},
		"default": func(usual, value any) any {
			if isEmpty(value) {
				return usual
			}
			return value
		},
		"ternary": func(yes, no any, condition bool) any {
			if condition {
				return yes
			}
			return no
		},
		"list": func(items ...any) []any { return items },
		"dict": func(pairs ...any) map[string]any {
			result := map[string]any{}
			for at := 0; at < len(pairs); at += 2 {
				result[pairs[at].(string)] = pairs[at+1]
			}
			return result
		},
		"has": func(item any, list []any) bool {
			for _, one := range list {
				if one == item {
					return true
				}
			}
			return false
		},
		"fromJsonArray": func(text string) []any {
			var list []any
			check(json.Unmarshal([]byte(text), &list))
			return list
		},
	})
	names, err := filepath.Glob(filepath.Join(directory, "templates", "*"))
	check(err)
	sort.Strings(names)
	for _, name := range names {
		content, err := os.ReadFile(name)
		check(err)
		_, err = root.New(filepath.Base(name)).Parse(string(content))
		check(err)
	}
	for _, name := range names {
		if !strings.HasSuffix(name, ".yaml") {
			continue
		}
		fmt.Println("---")
		check(root.ExecuteTemplate(os.Stdout, filepath.Base(name), data))
	}
}
