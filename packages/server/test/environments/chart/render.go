// Renders a Helm chart with the libraries that Helm itself uses: Go's text/template, sprig and sigs.k8s.io/yaml, all from
// Debian, which has no Helm. Helm's own functions are defined below, as far as the chart uses them; another one fails.
// Not covered: installing, hooks, the order of objects, `helm lint`, and the check of values against their schema.
//
//	render CHART < overrides.json > {"objects": […], "notes": "…"}
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"sigs.k8s.io/yaml"
)

type object = map[string]interface{}

func fatal(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func read(path string, into interface{}) {
	bytes, err := os.ReadFile(path)
	if err == nil {
		err = yaml.Unmarshal(bytes, into)
	}
	if err != nil {
		fatal(err)
	}
}

// Like Helm: objects are merged, everything else is replaced, and null removes a default.
func merge(defaults, overrides object) object {
	for name, value := range overrides {
		inner, isObject := value.(object)
		existing, hasObject := defaults[name].(object)
		switch {
		case value == nil:
			delete(defaults, name)
		case isObject && hasObject:
			defaults[name] = merge(existing, inner)
		default:
			defaults[name] = value
		}
	}
	return defaults
}

func helmFunctions(root *template.Template) template.FuncMap {
	functions := sprig.TxtFuncMap()
	// Helm removes these: a chart must not read the environment.
	delete(functions, "env")
	delete(functions, "expandenv")
	functions["include"] = func(name string, data interface{}) (string, error) {
		var out strings.Builder
		err := root.ExecuteTemplate(&out, name, data)
		return out.String(), err
	}
	functions["toYaml"] = func(value interface{}) string {
		text, err := yaml.Marshal(value)
		if err != nil {
			return ""
		}
		return strings.TrimSuffix(string(text), "\n")
	}
	functions["fail"] = func(message string) (string, error) { return "", errors.New(message) }
	return functions
}

func main() {
	folder := os.Args[1]
	var chart struct{ Name, Version, AppVersion string }
	read(filepath.Join(folder, "Chart.yaml"), &chart)
	values := object{}
	read(filepath.Join(folder, "values.yaml"), &values)
	given, err := io.ReadAll(os.Stdin)
	if err != nil {
		fatal(err)
	}
	overrides := object{}
	if err := json.Unmarshal(given, &overrides); err != nil {
		fatal(err)
	}

	// Helm prints missing values as nothing, instead of Go's "<no value>".
	root := template.New("").Option("missingkey=zero")
	root.Funcs(helmFunctions(root))
	paths, _ := filepath.Glob(filepath.Join(folder, "templates", "*"))
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err == nil {
			_, err = root.New(filepath.Base(path)).Parse(string(text))
		}
		if err != nil {
			fatal(err)
		}
	}

	data := object{
		"Values":  merge(values, overrides),
		"Chart":   chart,
		"Release": object{"Name": "acme", "Namespace": "intros", "Service": "Helm"},
	}
	objects := []object{}
	notes := ""
	for _, path := range paths {
		name := filepath.Base(path)
		if strings.HasPrefix(name, "_") {
			continue
		}
		var out bytes.Buffer
		if err := root.ExecuteTemplate(&out, name, data); err != nil {
			fatal(err)
		}
		text := strings.ReplaceAll(out.String(), "<no value>", "")
		if name == "NOTES.txt" {
			notes = text
			continue
		}
		for _, document := range regexp.MustCompile(`(?m)^---$`).Split(text, -1) {
			parsed := object{}
			if err := yaml.UnmarshalStrict([]byte(document), &parsed); err != nil {
				fatal(fmt.Errorf("%s: %w\n%s", name, err, document))
			}
			if len(parsed) > 0 {
				objects = append(objects, parsed)
			}
		}
	}
	json.NewEncoder(os.Stdout).Encode(object{"objects": objects, "notes": notes})
}
